"""What memory_reflect asks, in the words of the two articles; places in {braces} are filled."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.analysis.tokens import language_of
from graphmem.domain.memories import Memory

_CLUSTER = {
    "en": (
        "What do these failures have in common? Word the one rule behind all of them, so that it also fits inputs"
        " that nobody has seen yet, and name none of these inputs.",
    ),
    "zh": (
        "这些失败的共同点是什么？请归纳出背后的一条通用规则：对从未见过的输入也适用，不提这里的具体输入。",
    ),
}
_FAILURE = {
    "en": (
        "Where did the decision leave the right direction? (deviated_at)",
        "Was the context at that time sufficient? (context_sufficiency: sufficient, insufficient, misleading)",
        "Was it a matter of ability or of information? (root_cause_type: information_gap, capability_gap,"
        " misleading_feedback, system_limit)",
        "In a similar task, at which step should the strategy change? (change_at, prevention)",
    ),
    "zh": (
        "Agent 的决策在哪里偏离了正确方向？(deviated_at)",
        "当时的上下文信息是否充足？(context_sufficiency: sufficient 足够, insufficient 不足, misleading 误导性)",
        "这个失败是能力问题还是信息问题？(root_cause_type: information_gap 信息不足, capability_gap 能力不足,"
        " misleading_feedback 误导性反馈, system_limit 系统限制)",
        "如果重新处理类似任务，应该在哪一步改变策略？(change_at, prevention)",
    ),
}


def about_clusters(members: Sequence[Memory]) -> list[str]:
    """What is asked about failures that are alike, in the language of the first; nothing about none."""
    return list(_CLUSTER[language_of(members[0].text)]) if members else []


def about_failures(failures: Sequence[Memory]) -> list[str]:
    """The four questions about a failure, in the language of the first; nothing about none."""
    return list(_FAILURE[language_of(failures[0].text)]) if failures else []
