"""What an analyst is asked: the four questions of seed 2 about a failure, and what a pattern is to say."""

from __future__ import annotations

from collections.abc import Mapping

from graphmem.analysis.tokens import language_of
from graphmem.domain.analyses import WorkKind

NAMES = {
    "deviated_at": "deviatedAt",
    "context_sufficiency": "contextSufficiency",
    "type": "type",
    "summary": "summary",
    "change_at": "changeAt",
    "prevention": "prevention",
    "lesson": "lesson",
    "trigger_conditions": "triggerConditions",
    "root_cause": "rootCause",
}
"""What the fields of an answer are called in GraphQL."""

QUESTIONS: dict[tuple[WorkKind, str], tuple[str, ...]] = {
    (WorkKind.FAILURE, "en"): (
        "At which step did the decisions leave the right path? ({deviated_at})",
        "Was the context at hand SUFFICIENT, INSUFFICIENT or MISLEADING? ({context_sufficiency})",
        "Was it a lack of ability or of information? ({type}: INFORMATION_GAP, CAPABILITY_GAP, MISLEADING_FEEDBACK or "
        "SYSTEM_LIMIT; {summary}: one sentence)",
        "In a like task, at which step should the agent do something else, and what? ({change_at}, {prevention})",
    ),
    (WorkKind.FAILURE, "zh"): (
        "Agent 的决策在哪里偏离了正确方向？从 1 数起的步数（{deviated_at}）",
        "当时的上下文足够、不足，还是有误导？（{context_sufficiency}：SUFFICIENT、INSUFFICIENT、MISLEADING）",
        "是能力问题还是信息问题？（{type}：INFORMATION_GAP 信息不足、CAPABILITY_GAP 能力不足、MISLEADING_FEEDBACK "
        "误导性反馈、SYSTEM_LIMIT 系统限制；{summary}：用一句话写根因）",
        "再遇到类似任务，应在哪一步改变做法，怎么改？（{change_at}、{prevention}）",
    ),
    (WorkKind.PATTERN, "en"): (
        "What do these failures have in common? One sentence that names no single case and also fits inputs that "
        "nobody has seen yet ({lesson})",
        "In which situations does it apply? ({trigger_conditions})",
        "What is the common root cause, and of which type? ({root_cause}.{summary}, {root_cause}.{type})",
        "Which concrete change of behaviour prevents it? ({root_cause}.{prevention})",
    ),
    (WorkKind.PATTERN, "zh"): (
        "这些失败的共同点是什么？用一句通用规则概括：不含个案，对从未见过的输入也适用（{lesson}）",
        "在什么情形下适用？（{trigger_conditions}）",
        "共同的根因及其类型是什么？（{root_cause}.{summary}、{root_cause}.{type}）",
        "怎样具体地改变做法可以预防？（{root_cause}.{prevention}）",
    ),
}
"""By kind and language; {field} stands for what a door calls it."""


def questions(kind: WorkKind, text: str, names: Mapping[str, str] = NAMES) -> tuple[str, ...]:
    """The questions in the language of a text, English where it is neither. names: what the fields are called, all
    those of NAMES.
    """
    asked = QUESTIONS[kind, "zh" if language_of(text) == "zh" else "en"]
    return tuple(question.format_map(names) for question in asked)
