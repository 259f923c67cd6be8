"""The places where secrets stand in a text: one rule a place.

Every pattern takes linear time: its runs are possessive, or begin where no run can go on, or are bounded.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator

from graphmem.analysis.secret_names import (
    CHINESE_KINDS,
    Assignment,
    announces,
    is_code,
    is_dense,
    is_public,
    secret_kind,
)
from graphmem.analysis.traditional import simplified

Span = tuple[int, int, str]
"""Start and end of a secret in a text, and what it is."""
Rule = Callable[[str], Iterator[Span]]
"""Where a text holds secrets of one sort, from left to right."""

_PRIVATE = re.compile(r"<(?P<close>\\*/)?private[ \t]{0,8}>", re.IGNORECASE)
_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:(?!-----)[\s\S])*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\]*+)"
)
_LOGINS = (
    re.compile(r"""(?<=://)(?!git@)([^\s/?#"'<>\\]+)@"""),
    re.compile(r"""(?<=://)([^\s/@:"'<>\\]{1,64}:(?!/|\d{1,5}(?:[/?#]|$))[^\s@"'<>]{1,256})@(?=[\w.-])"""),
    re.compile(r"(?<=:thin:)([^\s@]{1,128})@"),
    re.compile(r"""(?<![\w.:/@[-])([\w.-]{1,64}:[^\s@"']{1,128})@(?=(?:tcp|unix)\()""", re.ASCII),
)
_TEMPLATE = re.compile(r"(?:\$?\{[^{}]*\}|\$\w+|%s|:)+")
_WEBHOOK = re.compile(
    r"""(?<=://)[^\s"'<>?#]{0,200}?/(?:[\w-]{0,40}hooks?[\w-]{0,20}|services(?=/T\w{1,20}/B))"""
    r"""/([^\s"'<>?#\\]{1,300})"""
)
_WEBHOOK_TOKEN = re.compile(r"(?<!\w)(?=[A-Za-z_]{0,300}\d)\w{16,}|[0-9a-f]{8}-[0-9a-f]{4}-", re.ASCII)
_AUTHORIZATION = re.compile(
    r"""(?<![A-Za-z0-9])authorization(?:\\*["']?\]?[ \t]{0,4}[:=]|["'],)[ \t]{0,4}\\*["']?"""
    r"""(?:(?:digest|aws4-hmac-sha256|hawk|signature)[ \t]+(?P<line>[^\n]+)"""
    r"""|(?:(?P<scheme>[a-z][\w-]{0,30})[ \t]{1,4})?(?P<one>[^\s"'\\,;]+))""",
    re.IGNORECASE,
)
_SCHEMES = frozenset({"basic", "bearer", "token", "negotiate", "ntlm", "apikey", "api-key"})
_COOKIE = re.compile(
    r"""(?<![\w-])(?:set-)?cookie2?(?:\\*["']?\]?[ \t]{0,4}[:=]|["'],)[ \t]{0,4}\\*["']?"""
    r"""([\w.%+-]{1,128}=[^\n"'\\]+)""",
    re.IGNORECASE,
)
_BEARER = re.compile(r"(?<![a-z0-9])bearer[ \t]{1,4}([\w.~+/=-]{8,})", re.IGNORECASE | re.ASCII)
_QUERY = re.compile(
    r"""(?<=[?&;])(?:amp;)?(?P<name>[\w.%-]{1,64}+)=(?P<value>(?:[^\s&"'<>#\\;]|;(?![\w.-]{1,40}=))++)""",
    re.ASCII,
)
_QUERY_NAMES = re.compile(
    r"(?:sig|signature|code|key|auth|sid|jwt|hmac|session|sessionid|ticket|assertion|credential|pass)"
    r"|x-(?:amz|goog)-(?:signature|credential)",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"""(?<![\w.-])(?P<name>[\w.-]++)(?P<shut>\\*["']?\]?)[ \t]{0,4}(?P<sep>(?:=>|:=|[!=]==?|=|:(?!:|//))"""
    r"""[ \t]{0,4})(?:[|>][+-]?\n[ \t]{1,16})?""",
    re.ASCII,
)
_FLAG = re.compile(
    r"(?:(?<![\w-])--?|(?<!\S)(?:ENV|setx)[ \t]{1,4})(?P<name>[A-Za-z][\w-]*+)[ \t]{1,4}(?!-)", re.ASCII
)
_METAVARIABLE = re.compile(
    r"[A-Z_]+|[a-z]{1,4}|(?:option|flag|argument|parameter|value)s?|should|instead|without"
)
_SPOKEN_QUOTED = re.compile(r"""(?i:identified by|password)[ \t]{1,4}(?=["'])""")
_OPENING = re.compile(r"""[bfruBFRU]{0,2}(?P<slash>\\*)(?:"{3}|'{3}|(?P<quote>["'`]))""")
_TO_QUOTE = {quote: re.compile(rf"(?:[^{quote}\\\n]|\\.)*+") for quote in "\"'`"}
_TO_ESCAPED_QUOTE = re.compile(r"""(?:[^"'`\\\n]|\\+[^"'`\\\n])*+""")
_BARE = re.compile(r"""(?:[^\s"'`&,;，；。]|&(?!\w{1,40}=)|[,;](?!\s|$|[\w.-]{1,40}["']?[:=]))++""")
_JUDGED = 256
"""Characters of a value by which it is judged: else a chain of names would read the whole text each time."""
_ELEMENT = re.compile(r"<(?P<name>[\w.:-]++)>(?P<value>[^<>\n]++)(?=</)", re.ASCII)
_NETRC = re.compile(r"\blogin[ \t]{1,8}\S{1,128}\s{1,8}password[ \t]{1,8}(\S+)")
_CURL = re.compile(r"""(?<![\w-])(?:-u|--(?:proxy-)?user)[ \t=]{1,4}["']?([^\s:"'/]{1,64}:[^\s"']+)""")
_SPOKEN = re.compile(
    rf"""(?:(?P<name>{"|".join(CHINESE_KINDS)})["'”」]?[^\S\n]{{0,2}}"""
    r"""(?:[:：=]|是|为|设为|设定为|改为)[^\S\n]{0,4}["'“「『]?"""
    r"""|(?i:pass(?:word|phrase|code))[ \t]{1,4}(?:is|was)[ \t]{1,4}["'`]?)(?P<value>[!#-&(-_a-~]{4,})"""
)
_SHAPES = re.compile(
    r"""(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:
      [spr]k[-_](?:live|test|proj|ant|or|svcacct|admin)[-_][\w-]{10,}
    | sk-(?=[A-Za-z_-]{0,200}\d)[\w-]{20,}
    | gh[oprsu]_[A-Za-z0-9]{20,} | github_pat_\w{20,} | glpat-[\w-]{16,}
    | A(?:KIA|SIA|ROA|IDA)[A-Z0-9]{16}(?![A-Z0-9])
    | xox[a-z]-[\w-]{10,} | xapp-[\w-]{10,}
    | AIza[\w-]{30,} | ya29\.[\w-]{20,}
    | (?:npm|hf|gsk|r8|dop_v1|shp[a-z]{2}|lin_api|figd)_(?=[A-Za-z]{0,200}\d)[A-Za-z0-9]{20,}
    | pypi-[\w-]{40,} | SG\.[\w-]{16,}\.[\w-]{16,} | AGE-SECRET-KEY-1[A-Z0-9]{20,}
    | eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){0,4}
    | \d{6,12}:(?=[\d_-]{0,35}[A-Za-z])[\w-]{35}(?![\w-])
    )""",
    re.ASCII | re.VERBOSE,
)


def _private_marks(text: str) -> Iterator[Span]:
    """<private>...</private>, nested ones as one; without an end, all that follows."""
    depth = start = 0
    for mark in _PRIVATE.finditer(text):
        if not mark["close"]:
            start = start if depth else mark.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield start, mark.end(), "private"
    if depth:
        yield start, len(text), "private"


def _matches(pattern: re.Pattern[str], label: str, where: Callable[[str], bool]) -> Rule:
    """The rule of one pattern: its group 1 (or the whole), if it is as it should be."""
    group = min(pattern.groups, 1)

    def rule(text: str) -> Iterator[Span]:
        return ((*match.span(group), label) for match in pattern.finditer(text) if where(match[group]))

    return rule


def _authorization(text: str) -> Iterator[Span]:
    for match in _AUTHORIZATION.finditer(text):
        scheme, value = match["scheme"] or "", match["one"] or ""
        if match["line"]:
            yield match.start("line"), match.start("line") + len(match["line"].rstrip(" \r\"'\\")), "token"
        elif scheme.lower() in _SCHEMES:
            if not is_public(value) and not (value.isalpha() and value.islower() and len(value) < 16):
                yield *match.span("one"), "token"
        elif is_dense(scheme, 16):
            yield *match.span("scheme"), "token"
        elif is_dense(value) and not is_code(value) and not value.replace("_", "").isalpha():
            yield *match.span("one"), "token"


def _query(text: str) -> Iterator[Span]:
    for match in _QUERY.finditer(text):
        label = secret_kind(match["name"])
        if label and not is_public(match["value"]) and len(match["value"]) >= 4:
            yield *match.span("value"), label
        elif _QUERY_NAMES.fullmatch(match["name"]) and is_dense(match["value"]):
            yield *match.span("value"), "token"


def _value(text: str, at: int, limit: int = sys.maxsize) -> tuple[int, int, bool]:
    """Start and end of the value that begins at a place, read up to limit, and whether it is quoted."""
    if opening := _OPENING.match(text, at):
        inside = _TO_ESCAPED_QUOTE if opening["slash"] else _TO_QUOTE[text[opening.end() - 1]]
        body = inside.match(text, opening.end(), limit)
        return opening.end(), body.end() if body else opening.end(), True
    body = _BARE.match(text, at, limit)
    raw = body[0] if body else ""
    return at, at + len(raw.rstrip(",;:.)}\\" if "[" in raw else ",;:.)}]\\")), False


def _assignments(text: str) -> Iterator[Span]:
    at = 0
    while head := _HEAD.search(text, at):
        at = head.end()
        if not announces(head["name"]) or _is_label(text, head):
            continue
        start, end, quoted = _value(text, at, at + _JUDGED)
        before = text[max(0, head.start() - 80) : head.start()].rpartition("\n")[2]
        after = text[end : end + 80].partition("\n")[0]
        found = Assignment(head["name"], head["sep"], text[start:end], quoted, (before, after))
        if label := found.label():
            at = _value(text, at)[1]
            yield start, at, label


def _is_label(text: str, head: re.Match[str]) -> bool:
    """Whether name and separator fill a string, as in input("Password: "): no value follows."""
    around = text[max(0, head.start() - 1) : head.start()] + text[head.end() : head.end() + 1]
    return not head["shut"] and around in ("''", '""', "``")


def _flags(text: str) -> Iterator[Span]:
    """--password x, ENV NAME x, PASSWORD 'x'."""
    for head in _FLAG.finditer(text):
        if label := secret_kind(head["name"]):
            start, end, quoted = _value(text, head.end())
            value = text[start:end]
            if not is_public(value) and (quoted or not _METAVARIABLE.fullmatch(value)):
                yield start, end, label


def _quoted_passwords(text: str) -> Iterator[Span]:
    for head in _SPOKEN_QUOTED.finditer(text):
        start, end, _ = _value(text, head.end())
        if not is_public(text[start:end]):
            yield start, end, "password"


def _elements(text: str) -> Iterator[Span]:
    for match in _ELEMENT.finditer(text):
        label = secret_kind(match["name"])
        if label and not is_public(match["value"].strip()):
            yield *match.span("value"), label


def _spoken(text: str) -> Iterator[Span]:
    for match in _SPOKEN.finditer(simplified(text)):
        value = match["value"].rstrip(",;.)]}")
        named = CHINESE_KINDS.get(match["name"], "")
        label = named or "password"
        certain = named == "password" and not secret_kind(value) and not is_public(value)
        if certain or is_dense(value, 6):
            yield match.start("value"), match.start("value") + len(value), label


def _always(_: str) -> bool:
    return True


RULES: tuple[Rule, ...] = (
    _private_marks,
    _matches(_KEY_BLOCK, "private-key", _always),
    _matches(_WEBHOOK, "webhook", lambda path: _WEBHOOK_TOKEN.search(path) is not None),
    *(_matches(login, "login", lambda user: not _TEMPLATE.fullmatch(user)) for login in _LOGINS),
    _authorization,
    _matches(_COOKIE, "cookie", _always),
    _query,
    _assignments,
    _flags,
    _quoted_passwords,
    _elements,
    _matches(_NETRC, "password", lambda value: not is_public(value)),
    _matches(_CURL, "login", lambda login: not login.replace(":", "").isdigit() and login[-1:] != ":"),
    _spoken,
    _matches(_SHAPES, "token", _always),
    _matches(_BEARER, "token", is_dense),
)
"""Marks first, shapes last: what stands at a named place is called after its name."""
