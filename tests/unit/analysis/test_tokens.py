"""What a text is found by."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.analysis.tokens import EMPTY, MISSING, has_han, language_of, tokenize, warm_up


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("C++ build fails in a:b", ["c++", "build", "fail", "a:b"]),
        ("C# and F# at AT&T", ["c#", "f#", "at&t"]),
        ("E1101 0xC0000005 HTTP 404", ["e1101", "0xc0000005", "http", "404"]),
        ("v2.13.0 1.0.0rc1 3.14", ["2.13.0", "1.0.0rc1", "3.14"]),
        ("user_id", ["user_id", "user", "id"]),
        ("parseUserName", ["parseusername", "pars", "user", "nam"]),
        ("HTTPServer APIs", ["httpserver", "http", "server", "api"]),
        (
            "src/app/main.py:42",
            ["src/app/main.py:42", "src", "app", "main.py:42", "main.py", "main", "py", "42"],
        ),
        (
            "numpy.linalg.LinAlgError",
            ["numpy.linalg.linalgerror", "numpy", "linalg", "linalgerror", "lin", "alg", "error"],
        ),
        (
            "(https://example.org/pkg?id=12).",
            ["https://example.org/pkg?id=12", "example.org", "exampl", "org", "pkg", "id", "12"],
        ),
        (r"C:\Users\file.txt", ["c:\\users\\file.txt", "user", "file.txt", "fil", "txt"]),
        ("ＡＢＣ　ｅｒｒｏｒ", ["abc", "error"]),
        ("naïve café", ["naïve", "café"]),
    ],
)
def test_whole_units_come_before_their_parts(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    "family",
    [
        "retry retries retried retrying",
        "cache caches cached caching",
        "process processes processed processing",
        "stop stops stopped stopping",
        "status statuses",
        "batch batches batched batching",
    ],
)
def test_forms_of_a_word_meet(family: str) -> None:
    assert len(set(tokenize(family))) == 1


@pytest.mark.parametrize("word", ["need", "string", "thing", "class", "red", "bus", "zebrafish77", "e5s"])
def test_stemming_leaves_what_only_looks_like_a_form(word: str) -> None:
    assert tokenize(word) == [word]


@pytest.mark.parametrize(
    "text", ["", "NOT", "the of and", "的 了 吗", '"', "*", "x", "___", "\ud800", "a\x00b", "don't"]
)
def test_nothing_to_find(text: str) -> None:
    assert tokenize(text) == []


@pytest.mark.parametrize(
    "text", ["[]", "items = {}", "f(())", 'name=""', "''.join", '{"a":[]}', "输入[]时", "“”"]
)
def test_an_empty_literal_is_a_token(text: str) -> None:
    assert tokenize(text).count(EMPTY) == 1


@pytest.mark.parametrize(
    "text", ["parse()", "int[] xs", "[1]", '"""text"""', "- [ ] todo", "() => run", "a''b"]
)
def test_what_only_looks_like_an_empty_literal(text: str) -> None:
    assert EMPTY not in tokenize(text)


@pytest.mark.parametrize("word", ["None", "null", "NULL", "nil", "NaN", "undefined"])
def test_a_missing_value_is_a_token(word: str) -> None:
    assert tokenize(word) == [word.lower(), MISSING]
    assert tokenize(f"值为{word}时")[-3:-1] == [word.lower(), MISSING]
    assert MISSING in tokenize(f"{word}/x")


def test_missing_is_said_of_identifiers_but_not_of_longer_words() -> None:
    assert MISSING in tokenize("'NoneType' object has no attribute")
    assert MISSING not in tokenize("annulled nonetheless")


def test_chinese_is_cut_into_words_and_the_words_within_them() -> None:
    stored = tokenize("空数组要返回空结果，不要抛异常")
    assert set(tokenize("空数组 异常")) <= set(stored)
    assert set(tokenize("返回空结果")) <= set(stored)
    assert "不要" in stored
    assert {"数据", "数据库"} <= set(tokenize("数据库"))
    assert tokenize("调用getUserName报错") == ["调用", "getusername", "user", "nam", "报错"]


def test_jieba_never_gets_a_long_run(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[str] = []

    class Recorder:
        def cut_for_search(self, run: str) -> list[str]:
            runs.append(run)
            return [run]

    monkeypatch.setattr("graphmem.analysis.tokens._dictionary._tokenizer", Recorder())
    tokenize("龘" * 2000)
    assert max(map(len, runs)) <= 512
    assert "".join(runs) == "龘" * 2000


def test_a_word_at_the_end_of_a_long_text_is_kept() -> None:
    text = ("空列表 src/app.py " * 5000)[:64_988] + " zebrafish77"
    assert tokenize(text)[-1] == "zebrafish77"


@given(st.text(st.characters(), max_size=60))
def test_any_text_gives_the_same_lower_case_tokens_every_time(text: str) -> None:
    tokens = tokenize(text)
    assert tokens == tokenize(text)
    assert all(token and token == token.lower() for token in tokens)


@given(st.text(st.sampled_from("aZ9_.:/\\-+#[](){}\"' 空组=>@&x\x00\ud800"), max_size=40))
def test_a_text_is_found_by_itself_within_a_longer_one(text: str) -> None:
    stored = set(tokenize(f"before {text} after"))
    assert set(tokenize(text)) <= stored


def test_language() -> None:
    assert language_of("空数组要返回空结果") == "zh"
    assert language_of("pytest 报错 ModuleNotFoundError") == "zh"
    assert language_of("the user typed 空 into the search box") == "en"
    assert language_of("") == language_of("[] 42") == "en"
    assert has_han("a空")
    assert not has_han("abc かな")


def run_python(code: str, temporary: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": os.getcwd()}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )


def test_a_text_without_han_loads_no_dictionary(tmp_path: Path) -> None:
    code = "import sys; from graphmem.analysis.tokens import tokenize; tokenize('C++ fails'); "
    ran = run_python(code + "print('jieba.finalseg' in sys.modules)", tmp_path)
    assert ran.stdout.strip() == "False"


def test_loading_is_silent_and_leaves_nothing_in_the_shared_folder(tmp_path: Path) -> None:
    ran = run_python("from graphmem.analysis.tokens import tokenize; tokenize('空数组')", tmp_path)
    assert (ran.stdout, ran.stderr) == ("", "")
    assert not list(tmp_path.iterdir())


def test_warm_up_keeps_the_dictionary_in_the_folder_it_is_given(tmp_path: Path) -> None:
    private, shared = tmp_path / "private", tmp_path / "shared"
    private.mkdir()
    shared.mkdir()
    code = (
        f"from graphmem.analysis.tokens import *; warm_up({str(private)!r}); print(len(tokenize('空数组')))"
    )
    first, second = run_python(code, shared), run_python(code, shared)
    assert first.stdout == second.stdout == "2\n"
    assert first.stderr == second.stderr == ""
    assert [path.name for path in private.iterdir()] == ["jieba.cache"]
    assert not list(shared.iterdir())


def test_warm_up_may_be_repeated() -> None:
    warm_up()
    warm_up()
    assert tokenize("空数组") == ["空", "数组"]


def test_texts_share_the_tokens_of_the_names_that_they_share() -> None:
    """A hundred thousand memories say a word once."""
    first, second = tokenize("parse_prices failed twice"), tokenize("then parse_prices failed again")
    shared = [(one, two) for one in first for two in second if one == two]
    assert len(shared) == 4
    assert all(one is two for one, two in shared)


def test_a_name_that_was_met_before_has_the_same_tokens() -> None:
    long = "a" * 40 + ".getText"
    for name in ("pkg.mod:getText", "None", "the", long):
        assert tokenize(name) == tokenize(name)
    assert tokenize(long)[0] == long.lower()
