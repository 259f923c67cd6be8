"""Secrets go, wherever they stand; ordinary traces stay as they are; a redacted text comes back unchanged."""

import json
import random
import string
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.analysis.redaction import Redacted, redact, redact_value
from graphmem.analysis.secret_names import secret_kind
from graphmem.analysis.secret_places import RULES

SEED = 20260101
LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def drawn(rng: random.Random, length: int, alphabet: str = LETTERS) -> str:
    """A secret drawn by lot that begins with a letter and holds a digit."""
    return "k7" + "".join(rng.choice(alphabet) for _ in range(length - 2))


SHAPES: dict[str, Callable[[str], str]] = {
    "url login": lambda x: f"git clone https://bob:{x}@git.example/team/repo.git failed",
    "url token as user": lambda x: f"fetching https://{x}@git.example/repo.git",
    "dsn": lambda x: f"could not connect to postgresql://app:{x}@db.internal:5432/orders?sslmode=require",
    "dsn key values": lambda x: f"host=db user=app password={x} dbname=orders",
    "ado connection string": lambda x: f"Server=db1;User Id=sa;Password={x};Encrypt=true",
    "query parameter": lambda x: f"GET https://api.example/v1/items?access_token={x}&page=2 HTTP/1.1",
    "signed query": lambda x: f"GET https://blob.example/a.csv?sv=2024&sig={x}%3D&se=2030",
    "bearer header": lambda x: f"> Authorization: Bearer {x}\n> Accept: */*",
    "basic header in JSON": lambda x: json.dumps({"Authorization": f"Basic {x}==", "Accept": "text/html"}),
    "cookie header": lambda x: f"Cookie: theme=dark; sessionid={x}; lang=zh",
    "api key header": lambda x: f"curl -H 'X-Api-Key: {x}' https://api.example/v1",
    "env": lambda x: f"export PAYMENT_API_TOKEN={x}",
    "JSON": lambda x: json.dumps({"user": "bob", "clientSecret": x, "n": 3}),
    "JSON in JSON": lambda x: json.dumps({"body": json.dumps({"user": "bob", "password": x})}),
    "YAML": lambda x: f"database:\n  user: app\n  password: {x}\n  port: 5432",
    "Python": lambda x: f'client = Client(user="bob", api_key="{x}", timeout=30)',
    "command flag": lambda x: f"$ deploy --env prod --password {x} --verbose",
    "XML": lambda x: f"<login><user>bob</user><password>{x}</password></login>",
    "key block": lambda x: f"-----BEGIN RSA PRIVATE KEY-----\nMIIE{x}\n{x}==\n-----END RSA PRIVATE KEY-----",
    "webhook": lambda x: f"POST https://chat.example/services/T0ABCDE12/B0FGHIJ34/{x} 404",
    "private mark": lambda x: f"remember the door <private>code {x}</private> please",
    "netrc": lambda x: f"machine git.example login bob password {x}",
    "curl user": lambda x: f"curl -s -u bob:{x} https://api.example/me",
    "SQL": lambda x: f"CREATE USER app IDENTIFIED BY '{x}';",
    "Chinese": lambda x: f"登录失败，密码：{x}，请重试",
    "Go driver": lambda x: f"dial app:{x}@tcp(127.0.0.1:3306)/orders",
    "comparison": lambda x: f'if password == "{x}":',
}

PREFIXED: dict[str, Callable[[random.Random], str]] = {
    "sk-": lambda rng: "sk-" + drawn(rng, 40),
    "sk-proj-": lambda rng: "sk-proj-" + drawn(rng, 60, LETTERS + "-_"),
    "ghp_": lambda rng: "ghp_" + drawn(rng, 36),
    "github_pat_": lambda rng: "github_pat_" + drawn(rng, 60, LETTERS + "_"),
    "AKIA": lambda rng: "AKIA" + "".join(rng.choice(string.ascii_uppercase + "234567") for _ in range(16)),
    "xoxb-": lambda rng: f"xoxb-{rng.randrange(10**11)}-{drawn(rng, 24)}",
    "JWT": lambda rng: f"eyJ{drawn(rng, 20)}.eyJ{drawn(rng, 40)}.{drawn(rng, 43, LETTERS + '-_')}",
}


def ordinary(rng: random.Random) -> str:
    """A line as traces, logs, code and notes have them, with no secret in it."""
    n, word = rng.randrange(2, 9999), rng.choice(["user", "order", "cache", "report", "session", "token"])
    digest, uuid = (
        "".join(rng.choice(HEX) for _ in range(40)),
        "-".join("".join(rng.choice(HEX) for _ in range(length)) for length in (8, 4, 4, 4, 12)),
    )
    return rng.choice(
        [
            f'  File "/srv/app/{word}/views.py", line {n}, in handle_{word}',
            f"{word.title()}Error: {word}_{n} is not a valid {word}",
            f"commit {digest}",
            f"docker.io/library/{word}@sha256:{digest}{digest[:24]}",
            f"{word}_id={uuid} took {n} ms",
            f"INFO 2026-01-{n % 28 + 1:02} 12:{n % 60:02}:07,123 {word}.worker: processed {n} rows",
            f"max_tokens={n}, prompt_tokens: {n}, token_count={n}",
            f"token = lexer.next_token()  # {n}",
            f"def {word}(token: Token, password: str, secret: Optional[str] = None) -> bool:",
            f"self.{word} = {word}_factory(key=lambda row: row[{n % 9}], token=self.token)",
            f"SyntaxError: Unexpected token < in JSON at position {n}",
            f"assert {word}.password == other.password, 'line {n}'",
            f"KeyError: 'api_key' while reading {word}.toml:{n}",
            f"GET http://localhost:{n}/api/{word}/{n}?page=2&limit=50&sort=created_at HTTP/1.1 200",
            f"git@git.example:team/{word}.git ssh://git@git.example/{word}.git",
            f"处理{word}列表时索引越界，第 {n} 行，请检查密码是否为空",
            f"the password must be at least {n % 30} characters; invalid token: expired",
            f"npm install {word}-tokenizer@{n % 9}.2.1 --save-dev --token-file ./{word}.txt",
            f"const {{ token, password }} = props; // {word} {n}",
            f"password=os.environ['{word.upper()}_PASSWORD'], retries={n}",
            f"{word}: next_page_token=CAUQ{n}abcdefgh, done",
            f"PRIMARY_KEY={word}_id_{n} PWD=/home/ci/{word}",
            f"Authorization: required for {word} ({n})",
            f'password="${{DB_PASSWORD}}" api_key=$API_KEY_{n % 9} token=<your token>',
            f"answer = getpass('Password: ', stream={word})",
            f"def seek(self, cookie, whence={n}): self.{word}_token = {word}",
            f"C:\\Users\\{word}\\secret\\file{n}.txt was not found",
        ]
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_hides_the_secret_in_every_place(shape: str) -> None:
    rng = random.Random(SEED)
    for _ in range(10):
        secret = drawn(rng, 24)
        found = redact(SHAPES[shape](secret))
        assert secret not in found.text
        assert found.count >= 1
        assert "[redacted:" in found.text


@pytest.mark.parametrize("prefix", PREFIXED)
def test_hides_well_known_tokens_without_any_name_beside_them(prefix: str) -> None:
    rng = random.Random(SEED)
    for template in ("{}", "used {} and failed", "line one\\n{} line two", "({}),"):
        for _ in range(10):
            secret = PREFIXED[prefix](rng)
            found = redact(template.format(secret))
            assert secret[8:] not in found.text
            assert found.count == 1


def test_leaves_ordinary_lines_alone() -> None:
    rng = random.Random(SEED)
    lines = [ordinary(rng) for _ in range(500)]
    touched = sorted({line for line in lines if redact(line) != Redacted(line, 0)})
    assert len(touched) <= 10, touched


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("postgres://app:s3cret@db:5432/orders", "postgres://[redacted:login]@db:5432/orders"),
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer [redacted:token]"),
        ("export API_TOKEN=fake-123456", "export API_TOKEN=[redacted:token]"),
        ('{"password": "a b", "user": "bob"}', '{"password": "[redacted:password]", "user": "bob"}'),
        ("?api_key=abcd1234&page=2", "?api_key=[redacted:key]&page=2"),
        ("Password=ab,cd;Encrypt=true", "Password=[redacted:password];Encrypt=true"),
        ("a <private>b <private>c</private> d</private> e", "a [redacted:private] e"),
        ("a <private>b, never closed", "a [redacted:private]"),
        ("password: |\n  s3cr3tword\nuser: x", "password: |\n  [redacted:password]\nuser: x"),
        ("PASSWORD='cut off here", "PASSWORD='[redacted:password]"),
        ('p = {"SECRET": "swordfish"}', 'p = {"SECRET": "[redacted:secret]"}'),
    ],
)
def test_keeps_what_surrounds_a_secret(text: str, kept: str) -> None:
    assert redact(text) == Redacted(kept, 1)


def test_private_key_block_goes_with_what_follows_only_as_far_as_it_is_key() -> None:
    block = "-----BEGIN PRIVATE KEY-----\nMIIEvQ/+=\nabcd"
    assert redact(f"{block}\n-----END PRIVATE KEY-----\nthen it failed").text.endswith("]\nthen it failed")
    assert (
        redact(f"{block} ... (cut), then it failed").text == "[redacted:private-key]... (cut), then it failed"
    )


PIECES = r"""
password token API_KEY= secret: Authorization: Bearer Basic Cookie: x=y; https://a:b@c ://u:p@tcp( <private>
</private> [redacted:token] [redacted: ] ) } , ; & ? = : " ' \ \n -u bob:pw1 --password -----BEGIN PRIVATE
KEY----- -----END eyJabcdefgh.eyJabcdefgh 密码：pw12 hooks/ <password> </password> $X {y} None abc12345XYZ
login sk-a1b2c3d4e5f6g7h8i9j0k1
"""
fragments = st.one_of(st.sampled_from([*PIECES.split(), "\n", " "]), st.text(max_size=6))


@given(st.lists(fragments, max_size=30).map("".join))
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once.text) == Redacted(once.text, 0)
    assert redact(text) == once


@given(st.text(LETTERS + "_", max_size=15) | st.sampled_from(["sk_live_a1a1a1a", "AKIA" + "A" * 11]))
def test_no_rule_finds_anything_in_one_short_word(word: str) -> None:
    assert [span for rule in RULES for span in rule(word)] == []
    assert redact(word) == Redacted(word, 0)


@given(st.text())
def test_takes_any_text(text: str) -> None:
    once = redact(text)
    assert redact(once.text) == Redacted(once.text, 0)


UNITS = r"""
a \ : = ' " [ < & ; / @ - a= a: a. a\ :// ://a :a@ a@ &a ?a= <a> <private> --a [redacted:token [redacted: sk-
eyJaaaaaaaa. password password= password=" password=' password=,a password=\" "password": token= tokentoken
authorization: cookie: ://a/hooks/ 密码： 123456: -----BEGIN ----- ://a:b/ API_KEY= <token>
"""
ADVERSARIAL = [
    *UNITS.split(),
    "-----BEGIN PRIVATE KEY-----",
    "authorization: a ",
    "bearer ",
    "login a ",
    "password '",
    "password: |\n  ",
    "--password ",
]


@pytest.mark.parametrize("unit", ADVERSARIAL)
def test_long_hostile_texts_end_and_stay_put(unit: str) -> None:
    for text in (unit * (65_000 // len(unit)), unit + "a" * 65_000, unit + " " * 65_000 + unit):
        once = redact(text)
        assert redact(once.text) == Redacted(once.text, 0)


def test_a_value_goes_by_its_name_and_the_rest_stays() -> None:
    found = redact_value(
        {
            "user": "bob",
            "password": "swordfish",
            "pin_code": 4711,
            "db_password": 4711,
            "retries": [1, None, True, {"api_key": "k", "note": "TOKEN=abc12345"}],
            "secrets": ["one", "two"],
            "token_count": 12,
            "token": 5,
            "nested": ({"Authorization": "Bearer abc.def-123"},),
            "empty": {"password": "", "client_secret": None},
        }
    )
    assert found.value == {
        "user": "bob",
        "password": "[redacted:password]",
        "pin_code": 4711,
        "db_password": "[redacted:password]",
        "retries": [1, None, True, {"api_key": "[redacted:key]", "note": "TOKEN=[redacted:token]"}],
        "secrets": ["[redacted:secret]", "[redacted:secret]"],
        "token_count": 12,
        "token": 5,
        "nested": [{"Authorization": "Bearer [redacted:token]"}],
        "empty": {"password": "", "client_secret": None},
    }
    assert found.count == 7


def test_keys_are_redacted_and_stay_apart() -> None:
    rng = random.Random(SEED)
    data = {PREFIXED["ghp_"](rng): 1, PREFIXED["ghp_"](rng): 2}
    found = redact_value(data)
    assert found.value == {"[redacted:token]": 1, "[redacted:token] (2)": 2}
    assert redact_value(found.value) == type(found)(found.value, 0)


json_data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.just("password=abc123"),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["password", "token", "x", "api_key", "note"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(json_data)
def test_redacting_data_twice_changes_nothing(data: object) -> None:
    once = redact_value(data)
    again = redact_value(once.value)
    assert (again.value, again.count) == (once.value, 0)
    json.dumps(once.value)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("DB_PASSWORD", "password"),
        ("pgpassword", "password"),
        ("smtp_pass", "password"),
        ("pass", ""),
        ("passwordHash", "password"),
        ("clientSecret", "secret"),
        ("SECRET_KEY_BASE", "key"),
        ("X-Api-Key", "key"),
        ("apikey", "key"),
        ("aws_secret_access_key", "key"),
        ("sort_key", ""),
        ("key", ""),
        ("authToken", "token"),
        ("_authToken", "token"),
        ("tokens", ""),
        ("token_count", ""),
        ("nextPageToken", ""),
        ("eos_token", ""),
        ("tokenizer", ""),
        ("session_id", ""),
        ("--password", "password"),
        ("", ""),
    ],
)
def test_a_name_says_what_it_holds_by_its_end(name: str, kind: str) -> None:
    assert secret_kind(name) == kind
