"""Words too common to tell one memory from another, lower case and not stemmed."""

ENGLISH = frozenset(
    """
    a about after again all also am an and any are as at be because been before being below between both but
    by can could did do does doing done down during each either else ever every few for from further get gets
    got had has have having he her here hers herself him himself his how however i if in into is it its itself
    just let lets may me might more most much must my myself neither no nor not now of off on once only or
    other our ours ourselves out over own per same shall she should since so some such than that the their
    theirs them themselves then there these they this those through thus to too under until up upon us use
    used uses using very via was we were what when where whether which while who whom whose why will with
    within without would yet you your yours yourself yourselves
    ain aren couldn didn doesn don hadn hasn haven isn ll mightn mustn needn re shan shouldn ve wasn weren won
    wouldn
    """.split()  # noqa: SIM905
)
"""English function words, and what an apostrophe leaves of a contraction."""

CHINESE = frozenset(
    """
    的 了 着 过 地 得 之 吗 呢 吧 啊 呀 嘛 哦 嗯 么 啦 和 与 及 或 而 且 但 并 则 若 因 由 于 以 为 把 被
    让 给 对 向 从 到 在 是 有 就 都 也 还 又 再 很 太 更 最 才 只 已 将 会 能 可 要 个 些 这 那 此 其 该
    每 各 某 我 你 您 他 她 它 们 哪 等 我们 你们 他们 她们 它们 咱们 自己 这个 那个 这些 那些 这样 那样
    这里 那里 一个 一些 一种 什么 怎么 怎样 如何 为什么 哪个 哪些 哪里 因为 所以 如果 但是 可是 不过 而且
    并且 或者 以及 还是 然后 虽然 即使 由于 关于 对于 已经 正在 可以 应该 等等
    """.split()  # noqa: SIM905
)
"""Chinese function words. Negations are no part of it: 不要 and 没有 tell a lesson from its opposite."""
