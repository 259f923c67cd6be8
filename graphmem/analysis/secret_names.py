"""Which names announce a secret, and which values beside them are one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphmem.analysis.traditional import simplified

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LONGEST_NAME = 80
CHINESE_KINDS = {
    "密码": "password",
    "通行码": "password",
    "口令": "password",
    "密钥": "token",
    "秘钥": "token",
    "金钥": "token",
    "令牌": "token",
    "权杖": "token",
}
"""What a field holds whose name ends so, in simplified characters."""
_AFTERWORDS = re.compile(r"value|val|prod|live|test|dev|staging|base|old|new|plain|plaintext|text")
_PASSWORD = re.compile(r"(?:password|passwd|passphrase|passcode|pwd)s?(?:hash|digest)?$")
_SECRET = re.compile(r"(?:secret|credential)s?$")
_KEY = re.compile(
    r"(?:api|secret|private|access|auth|signing|sign|encryption|master|account|service|shared|storage"
    r"|subscription|deploy|license|jwt|hmac|session)keys?$"
)
_OTHER_TOKENS = re.compile(
    r"next|page|prev|previous|continuation|sync|start|end|eos|bos|pad|unk|special|current|last|first|stop"
    r"|cancel|cancellation|mask|sep|cls|per|each|lookahead|unexpected|keyword|number"
)
_OTHER_KEYS = re.compile(
    r"(?:^|_)(?:primary|foreign|public|partition|sort|cache|row|index|group|object|map|hot|registry"
    r"|idempotency)_",
    re.IGNORECASE,
)
_OFTEN_PUBLIC = re.compile(r"[\W_]*(?:token|credentials?)[\W_]*", re.IGNORECASE)
"""Names that as often stand for a word of a text or a mode: hidden only if the value looks drawn by lot."""


def _words(name: str) -> list[str]:
    """The words of a name in snake_case, kebab-case or camelCase, in lower case."""
    return [word.lower() for word in _WORDS.findall(name[-_LONGEST_NAME:])]


def secret_kind(name: str) -> str:
    """What a field of this name holds: 'password', 'secret', 'token', 'key'; '' when nothing to hide.

    Judged by how the name ends: api_token, apiToken and X-Api-Token are secret, token_count is not.
    """
    words = _words(name)
    chinese = simplified(name)
    for ending, kind in CHINESE_KINDS.items():
        if chinese.endswith(ending):
            return kind
    while len(words) > 1 and _AFTERWORDS.fullmatch(words[-1]):
        words.pop()
    joined = "".join(words)
    if _PASSWORD.search(joined) or (len(words) > 1 and words[-1] == "pass"):
        return "password"
    if _SECRET.search(joined):
        return "secret"
    if joined.endswith("token"):
        before = words[-2] if words[-1] == "token" and len(words) > 1 else joined.removesuffix("token")
        return "" if _OTHER_TOKENS.fullmatch(before) else "token"
    return "token" if name == "_auth" else "key" if _KEY.search(joined) else ""


_PLACEHOLDER = re.compile(
    r"\[redacted:(?:private|private-key|login|password|secret|token|key|cookie|webhook|text)\]"
)
_PUBLIC = re.compile(
    r"(?i:none|null|nil|true|false|undefined|nan|n/?a|empty|required|optional|missing|invalid|expired|unknown"
    r"|&?str|string|bytes|int|integer|number|any|object|secretstr|bool|boolean|float"
    r"|password|token|secret|text|type|bearer|basic|lambda|await|new|not)"
    r"|[*x•.…_:-]{3,}|<.*|\$[A-Z_][A-Z0-9_]*|\$?\{.*|\$\(.*|%\(?\w*\)?s|[^A-Za-z0-9]?"
)
_DENSE = re.compile(r"\d|[a-z][A-Z]")
_IDENTIFIER = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)*")
_CODE = re.compile(
    r"(?:[A-Za-z_.]|b64|base64|sha\d|md5|uuid\d|utf8)+[(\[].*"
    r"|(?:self|cls|this|settings|config|cfg|os|process|request|args|ctx|env|opts|options|props)\.\w.*"
    r"|[({\[|=].*"
)
_KNOWN_KEY = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32,64}|.*[^\w+/=.-].*")


def announces(name: str) -> bool:
    """Whether a name can announce a secret: a cheap test before its value is looked at."""
    return name[-3:].upper() == "KEY" or bool(secret_kind(name))


def is_public(value: str) -> bool:
    """Whether a value is none, a type's name, a mask, a template's hole or a shell variable: no secret."""
    return _PUBLIC.fullmatch(value) is not None


def is_placeholder(text: str) -> bool:
    """Whether a text holds placeholders and punctuation only: nothing is left to hide."""
    return not _PLACEHOLDER.sub("", text).strip(" \t,;.:&/)}")


def is_dense(value: str, least: int = 8) -> bool:
    """Whether a value looks drawn by lot rather than written: long enough, with digits or mixed case."""
    return len(value) >= least and _DENSE.search(value) is not None


def is_code(value: str) -> bool:
    """Whether an unquoted value is a call, an index, an attribute or a bracket."""
    return _CODE.fullmatch(value) is not None or ("." in value and _is_name(value))


def _is_name(value: str) -> bool:
    return _IDENTIFIER.fullmatch(value) is not None


@dataclass(frozen=True, slots=True)
class Assignment:
    """name, separator and value as found; where: the rest of the line before the name and after the value."""

    name: str
    separator: str
    value: str
    quoted: bool
    where: tuple[str, str]

    def label(self) -> str:
        """What is to be hidden here, '' when the value is no secret."""
        kind, value = secret_kind(self.name), self.value
        if not kind:
            env = self.name.isupper() and self.name.endswith("KEY") and not _OTHER_KEYS.search(self.name)
            return "key" if env and is_dense(value) and not _KNOWN_KEY.fullmatch(value) else ""
        if is_public(value) or (self.name[-3:].lower() == "pwd" and value[:1] in "/~."):
            return ""
        if _OFTEN_PUBLIC.fullmatch(self._last_name()) and not self._is_env():
            if self.quoted:
                return kind if is_dense(value) or (len(value) >= 16 and " " not in value) else ""
            return "" if is_code(value) or _is_name(value) or not is_dense(value) else kind
        return kind if self.quoted or self._is_data() else ""

    def _last_name(self) -> str:
        return self.name.rpartition(".")[2].strip("-")

    def _is_env(self) -> bool:
        return self.name.isupper() and self.separator == "="

    def _is_data(self) -> bool:
        """Whether an unquoted value is data: no variable, call or type, nor the next word of a sentence."""
        before, after = self.where
        if self.separator.startswith(("==", "!=")):
            return False
        if secret_kind(self.name) != "password" and len(self.value) < 4:
            return False
        if self._is_env():
            return True
        if is_code(self.value) or self.value.lower() == self._last_name().lower():
            return False
        if not _is_name(self.value):
            return True
        if len(_words(self.value)) > 1 and secret_kind(self.value):
            return False
        ends = not after.strip(" \t\r,;") and "," not in after
        if ":" in self.separator:
            return ends and not before.strip(" \t-{,\"'")
        spaced = self.separator != self.separator.strip()
        return ends and "." not in self.name if spaced else after[:1] not in (",", ")")
