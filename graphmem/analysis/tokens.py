"""Text to tokens, for index and query alike.

One ordered pass takes whole units out of the text. What engineers paste (URLs, paths, versions, codes,
identifiers) stays findable as it was written and by its parts, prose becomes stemmed words, runs of Han are
cut by jieba, traditional characters as simplified ones. Literals that tell of a boundary input get a token of
their own: EMPTY, MISSING.
"""

import logging
import re
import sys
import threading
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from importlib.util import LazyLoader, find_spec, module_from_spec
from types import ModuleType
from typing import Any, Literal

from graphmem.analysis import stopwords
from graphmem.analysis.traditional import mainland

TOKENIZER_ID = "units-jieba-2"
"""Stored beside an index; changes with every change of what :func:`tokenize` answers."""

EMPTY = "<empty>"
"""Token of a literal that holds nothing: [], {}, (), or an empty string."""

MISSING = "<missing>"
"""Token that follows a word for "no value": None, null, nil, NaN, undefined, in any case."""

_MISSING_WORDS = frozenset({"none", "null", "nil", "nan", "undefined"})

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_WORD = rf"[^\W{_HAN}]"

# The order decides. "++" and "*+" never give back, so that no text makes the pass slower than linear; runs of
# Han end at 512 because jieba's time on characters it does not know grows with the square of the run.
_UNIT = re.compile(
    rf"""
      (?P<url> [a-z][a-z0-9+.-]{{1,20}}+ :// [^\s"'<>`{{}}|\\^{_HAN}]++ )
    | (?P<empty> (?<! [a-z0-9_)\]] ) (?: \[\] | \{{\}} | \(\) (?! \s?=> ) )
               | (?<! [a-z0-9_"] ) "" (?! " )
               | (?<! [a-z0-9_'] ) '' (?! ' )
               | “” | ‘’ )
    | (?P<whole> 0x[0-9a-f]++
               | v?\d++ (?: \.\d++ )++ (?: [-+.]? (?: alpha|beta|dev|post|pre|rc|a|b ) [.-]? \d++ )*+ )
    | (?P<name> {_WORD}++ (?: [-./\\:@&]{{1,2}} {_WORD}++ )*+ (?: \+\+ | \#(?!\w) )?+ )
    | (?P<han> [{_HAN}]{{1,512}} )
    """,
    re.VERBOSE | re.IGNORECASE,
)

# The joints of a name, the coarsest first: those of a path, a scope, a dotted name, an identifier.
_JOINTS = (
    re.compile(r":?[^\w.:#+-]+"),
    re.compile(r":+"),
    re.compile(r"\.+"),
    re.compile(r"[-_#+]+|(?<=[a-z0-9])(?=[A-Z][A-Za-z])|(?<=[A-Z])(?=[A-Z][a-z]{2})"),
)

_KEPT_NAMES = 65_536
_KEPT_LENGTH = 32
"""How many names are kept with their tokens, and up to which length: some 20 MB at most."""

_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_LATIN_WORD = re.compile("[A-Za-z]+")
_VOWEL = re.compile("[aeiouy]")
_DOUBLED = re.compile(r"([^aeiouylsz])\1$")

# (ending, what takes its place): the first that fits decides; one that maps to itself protects the word.
_ENDINGS = (
    ("ies", "y"),
    ("ss", "ss"),
    ("us", "us"),
    ("s", ""),
    ("ied", "y"),
    ("eed", "eed"),
    ("ed", ""),
    ("ing", ""),
)


def tokenize(text: str) -> list[str]:
    """Tokens of `text` in its order, repeated as often as they occur; [] if it holds nothing but stop words.

    Any string is accepted, NUL and lone surrogates included. The text is taken in Unicode's NFKC form and in
    simplified characters, tokens are lower case. A name yields itself and its parts at every joint:
    ``pkg.mod:getText`` yields pkg.mod:gettext, pkg.mod, pkg, mod, gettext, text. The parts are words: stop words
    and single ASCII letters among them are dropped, the others stemmed. Time grows linearly with the text.
    """
    tokens: list[str] = []
    for match in _UNIT.finditer(mainland(unicodedata.normalize("NFKC", text))):
        tokens += _TOKENS_OF[match.lastgroup or "name"](match[0])
    return tokens


def has_han(text: str) -> bool:
    """Whether `text` holds a Chinese character."""
    return _HAN_CHARACTER.search(text) is not None


def language_of(text: str) -> Literal["zh", "en"]:
    """Chinese where at least 3 in 10 of the Han characters and Latin words are Han, else English."""
    han, latin = len(_HAN_CHARACTER.findall(text)), len(_LATIN_WORD.findall(text))
    return "zh" if han and han >= 0.3 * (han + latin) else "en"


def warm_up(cache_dir: str | None = None) -> None:
    """Load the Chinese dictionary now (about .7 s CPU) rather than at the first Han character.

    With `cache_dir`, an existing folder that only this user can write to, the parsed dictionary is kept there
    and read back by later processes (about .25 s CPU). Does nothing once the dictionary is loaded.
    """
    _dictionary.load(cache_dir)


def _url_tokens(url: str) -> Iterator[str]:
    url = url.rstrip(".,;:!?)]*_~")
    yield url.lower()
    for segment in _JOINTS[0].split(url.partition("://")[2]):
        yield from _parts(segment, 1)


def _name_tokens(name: str) -> Iterable[str]:
    """Tokens of a name. Most names of a text were met before: they are looked up, and share their tokens."""
    return _known_name(name) if len(name) <= _KEPT_LENGTH else _parts(name)


@lru_cache(maxsize=_KEPT_NAMES)
def _known_name(name: str) -> tuple[str, ...]:
    return tuple(_parts(name))


def _parts(name: str, joint: int = 0) -> Iterator[str]:
    """Tokens of a name, given the first of the joints that may still divide it."""
    parts = [name]
    if not (name.isalpha() and (name.islower() or name.istitle())):
        while parts == [name] and joint < len(_JOINTS):
            parts = [part for part in _JOINTS[joint].split(name) if part]
            joint += 1
    if parts == [name]:
        yield from _word_tokens(name.lower())
    elif parts:
        yield name.lower()
        for part in parts:
            yield from _parts(part, joint)


def _word_tokens(word: str) -> Iterator[str]:
    if word in _MISSING_WORDS:
        yield from (word, MISSING)
    elif word not in stopwords.ENGLISH and not (len(word) == 1 and word.isascii() and word.isalpha()):
        yield _stem(word)


def _stem(word: str) -> str:
    """An English word less its plural, tense and final e, at least three letters; any other as it is.

    It does less than Porter's algorithm on purpose: a rule here holds for nearly every word.
    """
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    ending, instead = next((pair for pair in _ENDINGS if word.endswith(pair[0])), ("", ""))
    root = word.removesuffix(ending) + instead
    if len(root) >= 3 and _VOWEL.search(root):
        word = _DOUBLED.sub(r"\1", root) if ending in ("ed", "ing") else root
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _whole_token(unit: str) -> Iterable[str]:
    return (unit.lower().removeprefix("v"),)


def _empty_token(_: str) -> Iterable[str]:
    return (EMPTY,)


def _han_tokens(run: str) -> Iterable[str]:
    # Words and the words within them, as with names: R@5 .771 on CMRC-2018 against .763 without the latter.
    return (word for word in _dictionary.load().cut_for_search(run) if word not in stopwords.CHINESE)


_TOKENS_OF: dict[str, Callable[[str], Iterable[str]]] = {
    "url": _url_tokens,
    "empty": _empty_token,
    "whole": _whole_token,
    "name": _name_tokens,
    "han": _han_tokens,
}


def _imported_when_used(name: str) -> ModuleType:
    if name in sys.modules:
        return sys.modules[name]
    spec = find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    spec.loader = LazyLoader(spec.loader)
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# The import costs .04 s CPU, .12 s where setuptools is installed: a text without Han shall not pay for it.
_jieba = _imported_when_used("jieba")


class _Dictionary:
    """jieba's dictionary, loaded once, without a word on the console."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokenizer: Any = None

    def load(self, cache_dir: str | None = None) -> Any:
        """The loaded jieba.Tokenizer. Cutting only reads it and needs no lock."""
        if self._tokenizer is None:
            with self._lock:
                self._tokenizer = self._tokenizer or self._loaded(cache_dir)
        return self._tokenizer

    def _loaded(self, cache_dir: str | None) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # jieba's sources are older than today's rules for escapes
            tokenizer = _jieba.Tokenizer()
        _jieba.setLogLevel(logging.CRITICAL)
        if cache_dir is None:
            # What initialize() does, less its marshal file under a known name in the shared temporary folder.
            tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
            tokenizer.initialized = True
        else:
            tokenizer.tmp_dir = cache_dir
            tokenizer.initialize()
        return tokenizer


_dictionary = _Dictionary()
