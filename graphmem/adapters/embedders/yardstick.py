"""Parameters of a space that nobody measured: from sentences of ours, embedded once, the same for every model.

mu and sd are the mean and the deviation of the cosine between two of these sentences in one language; no two of one
language are about the same thing. They make thresholds follow the space, whose cosines may lie anywhere. There are no
language means: so few texts would not show where a language lies. `python -m benchmarks.fit_space` measures a prior
on thousands of texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from graphmem.domain.records import EmbeddingSpace, SpaceParameters

SENTENCES = {
    "zh": (
        "处理空列表时访问了第一个元素，索引越界",
        "数据库连接池耗尽，请求一直等到超时",
        "日期按本地时区解析，报表里少了一天的数据",
        "上传大文件时内存不足，进程被系统终止",
        "配置文件里的缩进有误，服务启动失败",
        "没有写入目录的权限，缓存无法保存",
        "两个线程同时修改余额，结果少扣了一笔",
        "第三方接口限流，重试后仍然返回错误",
        "金额用浮点数相加，合计差了一分钱",
        "证书昨天到期，客户端拒绝建立加密连接",
        "升级依赖之后函数签名变了，测试全部失败",
        "用户昵称含有表情符号，写入时编码出错",
        "删除了仍被引用的记录，详情页打不开",
        "搜索结果没有分页，页面加载非常缓慢",
        "磁盘写满以后日志轮转停止工作",
        "正则表达式回溯过多，一个请求占满了处理器",
        "忘记提交事务，重启后数据不见了",
        "按钮在窄屏幕上被导航栏挡住",
        "翻译文件缺少一个键，界面显示了变量名",
        "定时任务在夏令时切换当天执行了两次",
    ),
    "en": (
        "Reading the first element of an empty list raised an index error",
        "The connection pool was exhausted and requests waited until they timed out",
        "Dates were parsed in the local time zone, so the report lost a day",
        "The process was killed for lack of memory while a large file was uploaded",
        "Wrong indentation in the configuration file kept the service from starting",
        "The cache could not be saved: no permission to write to the folder",
        "Two threads changed the balance at once and one payment was lost",
        "The partner's interface limits the rate and still refused after retries",
        "Amounts were added as floating point numbers and the total was a cent off",
        "The certificate expired yesterday and clients refuse the encrypted connection",
        "A dependency was upgraded, a signature changed and every test fails",
        "A nickname with an emoji broke the encoding when it was written",
        "A record that others still refer to was deleted and the page does not open",
        "Search results come without pages, so the screen loads very slowly",
        "Log rotation stopped working once the disk was full",
        "A regular expression backtracks so much that one request takes a whole core",
        "The transaction was never committed and after a restart the data was gone",
        "On narrow screens the button is hidden behind the navigation bar",
        "A key is missing from the translations and the screen shows its name",
        "The nightly job ran twice on the day when the clocks were changed",
    ),
}
"""Short notes of one trade, as a namespace holds them: across trades, all notes of a namespace would look alike."""

LEAST_SD = 0.01
"""Below it a model tells the sentences hardly apart, and a deviation would blow up what is only noise."""
DIGITS = 4


def estimated(space: EmbeddingSpace, embed: Callable[[Sequence[str]], list[bytes]]) -> SpaceParameters:
    """mu and sd of the space whose vectors `embed` makes, rounded so that two machines agree; no means.

    Raises what embed raises.
    """
    cosines = []
    for sentences in SENTENCES.values():
        rows = np.array([np.frombuffer(row, dtype="<f4") for row in embed(sentences)], dtype=np.float64)
        cosines.append((rows @ rows.T)[np.triu_indices(len(rows), 1)])
    pairs = np.concatenate(cosines)
    sd = max(LEAST_SD, float(pairs.std()))
    return SpaceParameters(space=space, mu=round(float(pairs.mean()), DIGITS), sd=round(sd, DIGITS))
