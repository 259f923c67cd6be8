"""Invented agents at work: tools that fail on some inputs and seldom otherwise, in English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

BOUNDARY = 0.15
"""Share of the runs whose input the tool cannot take."""
BREAKS = 0.9
"""Chance that such a run fails."""
MISHAPS = 0.04
"""Chance that any other run fails, which nothing in its situation foretells."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run: what the agent sees before it, and what came of it. kind: what failed, the same for one cause; '' where
    it worked or nothing foretold it.
    """

    situation: str
    tool: str
    task_type: str
    failed: bool
    kind: str = ""
    error_type: str = ""
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class _Tool:
    """A tool with the ways of putting its tasks, inputs that it takes, inputs that it cannot take, and what it says."""

    name: str
    task_type: str
    tasks: Sequence[str]
    takes: Sequence[str]
    breaks_on: Sequence[str]
    error_type: str
    says: Sequence[str]


_TOOLS = (
    _Tool(
        "table_stats",
        "statistics",
        (
            "Compute the mean of column {name}",
            "Plot the spread of {name} by region",
            "求 {name} 一列的平均值",
            "按地区统计 {name}",
        ),
        ("values: [3, 5, 8]", "values: [12, 40, 7, 9]", "数据：[18, 21, 30]", "412 rows"),
        ("values: []", "values: [None, None]", "数据为空", "rows returned: 0"),
        "ZeroDivisionError",
        ("division by zero while averaging", "没有数据时求平均值报错"),
    ),
    _Tool(
        "calendar",
        "scheduling",
        (
            "Book a meeting about {name}",
            "Move the review of {name}",
            "安排 {name} 的会议",
            "改期 {name} 评审",
        ),
        (
            "on 2026-05-12 10:00 in Berlin",
            "on 2026-06-03 15:30 in Lisbon",
            "时间 2026-07-01 09:00 上海",
            "时间 2026-09-09 14:00 东京",
        ),
        (
            "on 2026-03-29 02:30 in Berlin, the night the clocks change",
            "on 2026-10-25 02:30 in Lisbon, the night the clocks change",
            "时间 2026-03-29 02:30 柏林，夏令时切换的夜里",
            "时间 2026-10-25 02:30 巴黎，夏令时切换的夜里",
        ),
        "InvalidTimeError",
        ("that local time does not exist or exists twice", "这个本地时间不存在或出现两次"),
    ),
    _Tool(
        "mailer",
        "notification",
        (
            "Send the {name} report to the team",
            "Remind customers about {name}",
            "给团队发送 {name} 报告",
            "提醒客户 {name}",
        ),
        (
            "to anna@example.org, ben@example.org",
            "to the 14 subscribers",
            "收件人：li@example.org、wang@example.org",
            "收件人共 9 位",
        ),
        (
            "to: no recipients were found",
            "recipients: []",
            "收件人为空",
            "recipients: None",
        ),
        "SMTPRecipientsRefused",
        ("the server refused a mail without recipients", "没有收件人，服务器拒收"),
    ),
    _Tool(
        "file_copy",
        "files",
        (
            "Copy the {name} export to the archive",
            "Back up the folder of {name}",
            "把 {name} 的导出复制到归档",
            "备份 {name} 文件夹",
        ),
        ("/data/{name}/2026.csv", "/srv/out/{name}.parquet", "路径 /data/{name}/a.csv", "/mnt/b/{name}.zip"),
        (
            "/data/{name} final version/new file.csv",
            "/srv/my documents/{name} copy.csv",
            "路径 /data/{name} 新 版本/表.csv",
            "C:/Program Files/{name}/a b.zip",
        ),
        "FileNotFoundError",
        ("the path was cut at the blank", "路径在空格处被截断"),
    ),
    _Tool(
        "payments",
        "billing",
        (
            "Refund order {name}",
            "Charge the customer of {name}",
            "给订单 {name} 退款",
            "向 {name} 的客户收款",
        ),
        ("amount = 42.50 EUR", "amount = 318.00 EUR", "金额：99.90 元", "金额：1200 元"),
        ("amount = 0", "amount = -5.00 EUR", "金额：-20 元", "amount = 0.00 EUR"),
        "AmountRejected",
        ("the bank takes only amounts above nothing", "银行只接受大于零的金额"),
    ),
)
_NAMES = ("orders", "invoices", "visits", "tickets", "returns", "订单", "发票", "访问", "工单", "退货")
_MISHAP = ("TimeoutError", "the server did not answer in time")


def runs(count: int, seed: int) -> list[Run]:
    """So many runs of the fleet, in the order in which they happen."""
    chance = Random(seed)
    return [_run(chance) for _ in range(count)]


def _run(chance: Random) -> Run:
    tool, name = chance.choice(_TOOLS), chance.choice(_NAMES)
    boundary = chance.random() < BOUNDARY
    shown = chance.choice(tool.breaks_on if boundary else tool.takes)
    situation = f"{chance.choice(tool.tasks)}\n{shown}".format(name=name)
    if boundary and chance.random() < BREAKS:
        said = chance.choice(tool.says)
        return Run(situation, tool.name, tool.task_type, True, tool.name, tool.error_type, said)
    if chance.random() < MISHAPS:
        return Run(situation, tool.name, tool.task_type, True, "", *_MISHAP)
    return Run(situation, tool.name, tool.task_type, False)
