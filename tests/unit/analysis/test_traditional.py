"""Traditional characters are read as simplified ones by every rule, and nothing that was written is changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.analysis.diagnosis import error_type_of, root_cause_of
from graphmem.analysis.failures import words
from graphmem.analysis.inputs import profile
from graphmem.analysis.redaction import redact, redact_value
from graphmem.analysis.tokens import tokenize
from graphmem.analysis.trace_steps import turning
from graphmem.analysis.traditional import mainland, simplified
from graphmem.analysis.turns import Turn, read_turn
from graphmem.domain.drafts import ExperienceDraft
from graphmem.domain.memories import Result, RootCauseType
from graphmem.domain.turns import TurnSignal
from graphmem.index.repeats import normalised


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x9FFF)))
def test_a_place_in_the_simplified_text_is_the_same_place_in_the_text(text: str) -> None:
    assert len(simplified(text)) == len(text)
    assert simplified(simplified(text)) == simplified(text)


def test_words_of_the_mainland_stand_for_those_of_taiwan() -> None:
    assert mainland("記憶體不足，檔案讀取逾時") == "内存不足，文件读取超时"
    assert mainland("档案馆的资料") == "档案馆的资料", "a text in simplified characters means what it says"


@pytest.mark.parametrize(
    ("said", "signal", "expected"),
    [
        ("不對，應該是七。", TurnSignal.CORRECTION, "七"),
        ("錯了", TurnSignal.CORRECTION, ""),
        ("還是不行", TurnSignal.CORRECTION, ""),
        ("我要的是表格，不是圖。", TurnSignal.CORRECTION, "表格"),
        ("你搞錯了，價格應該以分為單位", TurnSignal.CORRECTION, "以分為單位"),
        ("不對，應該是「價格」。", TurnSignal.CORRECTION, "價格"),
        ("沒錯", TurnSignal.SUCCESS, ""),
        ("對，就是這樣", TurnSignal.SUCCESS, ""),
        ("這不對嗎？", TurnSignal.NONE, ""),
        ("統計錯誤的行。", TurnSignal.NONE, ""),
    ],
)
def test_what_a_user_says_of_an_answer(said: str, signal: TurnSignal, expected: str) -> None:
    found = read_turn(Turn(said))
    assert (found.signal, found.expected) == (signal, expected)


@pytest.mark.parametrize(
    ("manifestation", "kind"),
    [
        ("沒有檢查空值", RootCauseType.CAPABILITY_GAP),
        ("不知道使用者要的是哪個檔案，沒有人說明", RootCauseType.INFORMATION_GAP),
        ("工具回傳成功，但是檔案沒有寫入", RootCauseType.MISLEADING_FEEDBACK),
        ("記憶體不足", RootCauseType.SYSTEM_LIMIT),
        ("連線被拒絕", RootCauseType.SYSTEM_LIMIT),
    ],
)
def test_what_kind_of_failure_it_was(manifestation: str, kind: RootCauseType) -> None:
    found = root_cause_of(ExperienceDraft(action="x", result=Result.FAILURE, manifestation=manifestation))
    assert found is not None
    assert found.type is kind


def test_what_is_quoted_stays_as_it_was_written() -> None:
    told = ExperienceDraft(
        action="x", result=Result.FAILURE, manifestation="上傳失敗，因為權杖過期。下次先檢查權杖"
    )
    found = root_cause_of(told)
    assert found is not None
    assert (found.summary, found.prevention) == ("權杖過期", "先檢查權杖")


def test_a_status_and_the_steps_of_a_trace() -> None:
    assert (
        error_type_of(ExperienceDraft(action="x", result=Result.FAILURE, manifestation="狀態碼：404"))
        == "HTTP 404"
    )
    assert turning("1. 讀取檔案\n2. 假設權杖有效\n3. 上傳失敗").deviated_at == 2


@pytest.mark.parametrize(
    ("traditional", "plain"),
    [
        ("輸入空陣列", "输入空数组"),
        ("欄位缺失", "字段缺失"),
        ("輸入負數", "输入负数"),
        ("沒有資料", "没有数据"),
    ],
)
def test_the_kind_of_an_input(traditional: str, plain: str) -> None:
    assert profile(traditional) == profile(plain)
    assert profile(traditional).special


def test_words_are_found_across_both_ways_of_writing() -> None:
    assert tokenize("解析價格欄位，輸入空字串") == tokenize("解析价格字段，输入空字符串")
    assert words("連線池已滿") == words("连接池已满")
    assert normalised("解析價格欄位") == normalised("解析价格字段")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("密碼：hunter22", "密碼：[redacted:password]"),
        ("密碼設為 hunter22", "密碼設為 [redacted:password]"),
        ("權杖：a8Fk39xkQ2m", "權杖：[redacted:token]"),
        ('{"密碼": "hunter22"}', '{"密碼": "[redacted:password]"}'),
        ('{"密码": "hunter22"}', '{"密码": "[redacted:password]"}'),
        ("設定密碼的方法：見文件", "設定密碼的方法：見文件"),
    ],
)
def test_secrets_are_replaced(text: str, kept: str) -> None:
    assert redact(text).text == kept


@pytest.mark.parametrize("name", ["密碼", "密码", "登录密码", "API 金鑰", "令牌"])
def test_secrets_of_metadata_are_replaced_by_their_chinese_name(name: str) -> None:
    assert redact_value({name: "x8fj4hfk3h2"}).count == 1
