"""What an analyst is asked: the four questions of seed 2 about a failure, and what a pattern is to say."""

from __future__ import annotations

from graphmem.analysis.tokens import language_of
from graphmem.domain.analyses import WorkKind

QUESTIONS: dict[tuple[WorkKind, str], tuple[str, ...]] = {
    (WorkKind.FAILURE, "en"): (
        "At which step did the decisions leave the right path? (deviatedAt)",
        "Was the context at hand SUFFICIENT, INSUFFICIENT or MISLEADING? (contextSufficiency)",
        "Was it a lack of ability or of information? (type: INFORMATION_GAP, CAPABILITY_GAP, MISLEADING_FEEDBACK or "
        "SYSTEM_LIMIT; summary in one sentence)",
        "In a like task, at which step should the agent do something else, and what? (changeAt, prevention)",
    ),
    (WorkKind.FAILURE, "zh"): (
        "决策从哪一步开始偏离？（deviatedAt）",
        "当时的上下文足够、不足，还是有误导？（contextSufficiency：SUFFICIENT、INSUFFICIENT、MISLEADING）",
        "是能力问题还是信息问题？（type：INFORMATION_GAP 信息不足、CAPABILITY_GAP 能力不足、MISLEADING_FEEDBACK "
        "误导性反馈、SYSTEM_LIMIT 系统限制；summary 用一句话写根因）",
        "再遇到类似任务，应在哪一步改变做法，怎么改？（changeAt、prevention）",
    ),
    (WorkKind.PATTERN, "en"): (
        "What do these failures have in common, in one sentence that names no single case? (lesson)",
        "In which situations does it apply? (triggerConditions)",
        "What is the common root cause, and of which type? (rootCause.summary, rootCause.type)",
        "Which concrete change of behaviour prevents it? (rootCause.prevention)",
    ),
    (WorkKind.PATTERN, "zh"): (
        "这些失败的共同点是什么？用一句不含个案的话概括。（lesson）",
        "在什么情形下适用？（triggerConditions）",
        "共同的根因及其类型是什么？（rootCause.summary、rootCause.type）",
        "怎样具体地改变做法可以预防？（rootCause.prevention）",
    ),
}


def questions(kind: WorkKind, text: str) -> tuple[str, ...]:
    """The questions in the language of a text, English where it is neither."""
    return QUESTIONS[kind, "zh" if language_of(text) == "zh" else "en"]
