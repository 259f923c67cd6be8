"""Four weeks of an agent's work as data: fifty failures in chains, successes, and two facts that were wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graphmem.domain.words import filled


@dataclass(frozen=True, slots=True)
class Kind:
    """A family of failures: what was done, with which tool, what went wrong, what was right (en, zh)."""

    tool: str
    error_type: str
    action: tuple[str, str]
    fault: tuple[str, str]
    correction: tuple[str, str]


KINDS: Mapping[str, Kind] = {
    "empty": Kind(
        "load_orders",
        "UnhandledInput",
        ("load the orders", "加载订单"),
        ("empty input not handled", "未处理空输入"),
        ("an empty day is a valid day", "没有订单的一天也是正常的一天"),
    ),
    "index": Kind(
        "pick_first",
        "IndexError",
        ("take the first order", "取第一条订单"),
        ("index out of range", "索引越界"),
        ("look at the length first", "先看长度"),
    ),
    "average": Kind(
        "average_price",
        "ZeroDivisionError",
        ("average the prices", "计算均价"),
        ("division by zero", "除以零"),
        ("no prices, no average", "没有价格就没有均价"),
    ),
    "report": Kind(
        "write_report",
        "WrongReport",
        ("write the daily report", "生成日报"),
        ("wrong report", "报表错误"),
        ("compare the total with the ledger", "把合计与账本核对"),
    ),
    "mail": Kind(
        "send_mail",
        "WrongMail",
        ("send the report", "发送报表"),
        ("wrong figures sent", "发出了错误数字"),
        ("hold a report that differs by half", "与往日相差一半就先别发"),
    ),
    "encode": Kind(
        "read_csv",
        "UnicodeDecodeError",
        ("read the supplier's file", "读取供应商文件"),
        ("file read in the wrong encoding", "编码不符"),
        ("try gb18030 where UTF-8 fails", "UTF-8 失败时用 gb18030"),
    ),
    "column": Kind(
        "map_columns",
        "KeyError",
        ("map the columns", "映射列名"),
        ("column not found", "找不到列"),
        ("compare the header with the known one", "先核对表头"),
    ),
    "unit": Kind(
        "convert_price",
        "UnitError",
        ("convert the prices", "换算价格"),
        ("prices a hundred times too high", "价格高了一百倍"),
        ("read the unit from the file", "从文件里读单位"),
    ),
    "stock": Kind(
        "order_stock",
        "WrongQuantity",
        ("order new stock", "补货"),
        ("wrong quantity ordered", "订货数量错误"),
        ("ask before an unusual order", "数量异常时先确认"),
    ),
    "zone": Kind(
        "schedule_job",
        "WrongDay",
        ("schedule the nightly job", "安排夜间任务"),
        ("job ran on the wrong day", "任务在错误的日期运行"),
        ("name the zone with every time", "时间都要带时区"),
    ),
    "page": Kind(
        "fetch_orders",
        "MissingPage",
        ("fetch the orders", "拉取订单"),
        ("last page missing", "漏了最后一页"),
        ("page until there is no next", "翻到没有下一页为止"),
    ),
    "retry": Kind(
        "call_api",
        "Timeout",
        ("call the payment service", "调用支付服务"),
        ("answer came too late", "应答超时"),
        ("retry with the same key", "用同一个键重试"),
    ),
    "double": Kind(
        "save_orders",
        "DuplicateKey",
        ("save the orders", "保存订单"),
        ("orders saved twice", "订单重复保存"),
        ("look the key up before writing", "写入前先查键"),
    ),
}


@dataclass(frozen=True, slots=True)
class WrongFact:
    """A fact that was believed until a day, and what replaced it (en, zh)."""

    statement: tuple[str, str]
    instead: tuple[str, str]
    until: int


WRONG_FACTS: Mapping[str, WrongFact] = {
    "unit": WrongFact(
        ("Supplier prices are in yuan.", "供应商价格以元为单位。"),
        ("Supplier prices are in cents.", "供应商价格以分为单位。"),
        until=13,
    ),
    "zone": WrongFact(
        ("The servers run on Beijing time.", "服务器使用北京时间。"),
        ("The servers run on UTC.", "服务器使用 UTC 时间。"),
        until=20,
    ),
}
"""By the kind of failure that each led to."""

EPISODES: tuple[tuple[int, str], ...] = (
    (1, "empty index report"),
    (2, "encode column report"),
    (3, "unit stock report mail"),
    (4, "empty average report mail"),
    (6, "retry double report mail stock"),
    (8, "empty index report"),
    (9, "zone page empty index report mail"),
    (11, "encode column report"),
    (12, "unit stock report mail"),
    (15, "empty index report"),
    (17, "page stock report"),
    (18, "empty average report mail"),
    (22, "empty index report"),
    (25, "retry"),
    (27, "encode"),
)
"""Day of the four weeks, and a chain: each failure was caused by the one before. Fifty failures in all."""

SUCCESSES: tuple[tuple[int, str, str], ...] = tuple(
    (day, kind, f"rows = [{day}, {day + 7}, {day + 30}]")
    for day, kind in enumerate(
        (*KINDS, "empty", "page", "report", "mail", "column", "empty", "stock"),
        start=3,
    )
)
"""Day, kind of work, and an ordinary input on which it worked."""

WORDS: Mapping[str, tuple[str, str]] = {
    "title": ("Four weeks of one agent", "一个 Agent 的四周"),
    "counts": (
        "{failures} {failures:failure|failures}, {successes} {successes:success|successes}, {facts} {facts:fact|facts} "
        "({superseded} superseded), {edges} {edges:cause|causes}",
        "失败 {failures} 次，成功 {successes} 次，事实 {facts} 条（{superseded} 条已被取代），因果 {edges} 条",
    ),
    "families": ("The families of failures", "失败的类别"),
    "family": ("what went wrong", "问题"),
    "tool": ("tool", "工具"),
    "times": ("times", "次数"),
    "roots": ("Few causes make most failures", "少数原因造成大多数失败"),
    "root": ("root cause", "根因"),
    "incidents": ("incidents", "事故"),
    "led": ("failures it led to", "导致的失败"),
    "covered": ("covered so far", "累计覆盖"),
    "wrong": ("Facts that were wrong", "错误的事实"),
    "replaced": (
        "{old} → {new}: {failures} {failures:failure|failures} in {tasks} {tasks:task|tasks}",
        "{old} → {new}：{failures} 次失败，{tasks} 个任务",
    ),
    "longest": ("The longest chain", "最长的因果链"),
}


def worded(key: str, language: str, **values: object) -> str:
    """A text of the summary in 'en' or 'zh'."""
    return filled(WORDS[key][language == "zh"], **values)
