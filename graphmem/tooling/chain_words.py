"""What the failures of planted chains are called, in English and Chinese."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Language(StrEnum):
    """In which language planted texts are written; MIXED alternates by episode."""

    EN = "en"
    ZH = "zh"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Wording:
    """A class of failures: its error type, the tool it strikes, what was done and what went wrong (en, zh)."""

    error_type: str
    tool: str
    action: tuple[str, str]
    fault: tuple[str, str]


WORDINGS: tuple[Wording, ...] = (
    Wording(
        "StaleCache",
        "cache",
        ("read the price list", "读取价目表"),
        ("the copy was a day old", "副本是昨天的"),
    ),
    Wording("MissingColumn", "loader", ("load the orders", "加载订单"), ("a column was missing", "缺少一列")),
    Wording(
        "WrongEncoding",
        "loader",
        ("open the supplier's file", "打开供应商文件"),
        ("letters were garbled", "出现乱码"),
    ),
    Wording(
        "ClockSkew",
        "scheduler",
        ("start the nightly job", "启动夜间任务"),
        ("it began an hour early", "提前一小时开始"),
    ),
    Wording(
        "TokenExpired",
        "login",
        ("sign in to the warehouse", "登录仓库系统"),
        ("the token had expired", "令牌已过期"),
    ),
    Wording(
        "EmptyInput", "parser", ("parse the answer", "解析返回结果"), ("there was nothing in it", "内容为空")
    ),
    Wording(
        "UnitError",
        "converter",
        ("convert the weights", "换算重量"),
        ("grams were taken for kilograms", "把克当成千克"),
    ),
    Wording(
        "DuplicateRow",
        "merger",
        ("merge the lists", "合并清单"),
        ("rows were counted twice", "有行被重复计算"),
    ),
    Wording(
        "IndexError",
        "parser",
        ("take the first entry", "取第一条"),
        ("the index was out of range", "索引越界"),
    ),
    Wording(
        "ZeroDivisionError", "report", ("average the prices", "计算均价"), ("it divided by zero", "除以零")
    ),
    Wording(
        "RateLimited",
        "client",
        ("ask the supplier's service", "请求供应商接口"),
        ("it refused further calls", "接口拒绝了请求"),
    ),
    Wording(
        "Timeout", "client", ("wait for the answer", "等待返回"), ("no answer came in time", "未在时限内返回")
    ),
    Wording(
        "PartialWrite",
        "database",
        ("store the totals", "保存合计"),
        ("half of them were stored", "只保存了一半"),
    ),
    Wording(
        "LockConflict",
        "database",
        ("update the stock", "更新库存"),
        ("another run held the lock", "锁被占用"),
    ),
    Wording("WrongTotal", "report", ("add up the sales", "汇总销售额"), ("the total was wrong", "合计错误")),
    Wording(
        "BadRanking",
        "planner",
        ("rank the suppliers", "给供应商排序"),
        ("the worst came first", "最差的排第一"),
    ),
    Wording(
        "WrongQuantity", "planner", ("plan the order", "制定补货计划"), ("ten times too much", "数量多了十倍")
    ),
    Wording("RefusedOrder", "shop", ("place the order", "下单"), ("the shop refused it", "订单被拒")),
    Wording(
        "LostMessage",
        "mailer",
        ("tell the warehouse", "通知仓库"),
        ("the message never arrived", "消息没有送达"),
    ),
    Wording(
        "WrongReport",
        "report",
        ("write the daily report", "生成日报"),
        ("the figures were wrong", "数字有误"),
    ),
)
INNOCENT = Wording("", "notes", ("note the progress", "记录进度"), ("", ""))
"""A step that went well and caused nothing."""
FINAL = Wording("TaskFailed", "agent", ("finish the task", "完成任务"), ("the task failed", "任务失败"))
"""The failure that is asked about: the last of its episode."""
