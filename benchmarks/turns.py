"""Is a user's turn read rightly: does it call the answer wrong? 334 labelled turns of ours, English and Chinese.

python -m benchmarks.turns [--data DIR]

The labels (benchmarks/data/turns.jsonl) were committed before the method; every third line of a language is held
out. Half of the turns correct nothing: questions, quotations, new tasks and the user's own mistakes, in the same
words. Baselines: the article's words anywhere in the turn, and to call every turn a correction. With --data also
LoCoMo: talk between friends, where an answer of an agent is never corrected, so that each alarm is false.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reporting import Figure, arguments, emit, mean_figure
from graphmem.analysis.turns import Turn, read_turn
from graphmem.domain.turns import TurnSignal

LABELS = Path(__file__).parent / "data" / "turns.jsonl"
TALK = "locomo/locomo10.json.gz"
WORDS = re.compile(
    r"不对|错了|应该是|that's wrong|that is wrong|no, it should be|\bwrong\b|\bincorrect\b|not correct",
    re.IGNORECASE,
)
"""The article's own signals (seed 1, 4.2), and their plain English forms."""


@dataclass(frozen=True)
class Labelled:
    """A turn with what it tells and what it says is right."""

    said: str
    language: str
    signal: str
    expected: str
    part: str


Says = Callable[[Labelled], bool]
"""Whether a method calls a turn a correction."""


def main() -> None:
    """Read every turn, count, print by part and by language."""
    options = arguments(__doc__ or "").parse_args()
    turns = labels()
    tables = {}
    for part in ("build", "held-out"):
        chosen = [turn for turn in turns if turn.part == part]
        tables[f"corrections, {part} (n = {len(chosen)})"] = figures(chosen)
        for language in ("en", "zh"):
            own = [turn for turn in chosen if turn.language == language]
            tables[f"corrections, {part}, {language} (n = {len(own)})"] = figures(own)
    notes = []
    if options.data is None or not (options.data / TALK).exists():
        notes.append("LoCoMo NOT RUN: give --data DIR (benchmarks/data.toml tells the sources)")
    else:
        said = talk(options.data)
        tables[f"talk between friends, LoCoMo (n = {len(said)})"] = {"called a correction": _alarms(said)}
    emit(tables, options.json, [] if options.json else notes)


def talk(data: Path) -> list[Labelled]:
    """Every turn of LoCoMo's conversations; none corrects an agent."""
    samples = json.loads(gzip.decompress((data / TALK).read_bytes()))
    return [
        Labelled(turn["text"], "en", "NONE", "", "")
        for sample in samples
        for name, session in sample["conversation"].items()
        if isinstance(session, list)
        for turn in session
    ]


def _alarms(said: Sequence[Labelled]) -> Figure:
    own = sum(_ours(turn) for turn in said)
    low, high = wilson(own, len(said))
    keywords = sum(_keyword(turn) for turn in said) / len(said)
    return Figure(own / len(said), low, high, len(said), {"keywords": keywords, "always": 1.0})


def labels() -> list[Labelled]:
    """All labelled turns."""
    lines = LABELS.read_text(encoding="utf8").splitlines()
    return [
        Labelled(**{name: json.loads(line)[name] for name in Labelled.__dataclass_fields__}) for line in lines
    ]


def figures(turns: Sequence[Labelled]) -> dict[str, Figure]:
    """Precision and recall of corrections, the signal of all turns, and how often what is right is found."""
    table = {
        "precision": _share(turns, _precise),
        "recall": _share(turns, _recalled),
        "right signal of three": mean_figure(
            [float(_signal(turn) == turn.signal) for turn in turns],
            {"always none": sum(turn.signal == "NONE" for turn in turns) / len(turns)},
        ),
    }
    stated = [turn for turn in turns if turn.expected]
    table["expected found word for word"] = mean_figure(
        [float(read_turn(Turn(turn.said)).expected == turn.expected) for turn in stated],
        {"last clause": sum(_last_clause(turn.said) == turn.expected for turn in stated) / len(stated)},
    )
    return table


def _signal(turn: Labelled) -> str:
    return read_turn(Turn(turn.said)).signal.value


def _ours(turn: Labelled) -> bool:
    return _signal(turn) == TurnSignal.CORRECTION


def _keyword(turn: Labelled) -> bool:
    return WORDS.search(turn.said) is not None


def _always(_: Labelled) -> bool:
    return True


def _precise(turns: Sequence[Labelled], says: Says) -> list[float]:
    return [float(turn.signal == "CORRECTION") for turn in turns if says(turn)]


def _recalled(turns: Sequence[Labelled], says: Says) -> list[float]:
    return [float(says(turn)) for turn in turns if turn.signal == "CORRECTION"]


def _share(turns: Sequence[Labelled], counted: Callable[[Sequence[Labelled], Says], list[float]]) -> Figure:
    beside = {"keywords": counted(turns, _keyword), "always": counted(turns, _always)}
    own = counted(turns, _ours)
    n = len(own)
    low, high = wilson(sum(own), n)
    return Figure(sum(own) / n, low, high, n, {name: sum(them) / len(them) for name, them in beside.items()})


def wilson(hits: float, n: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a share: unlike the bootstrap's it has a width where all or none were hit."""
    z = 1.96
    centre, spread = hits + z * z / 2, z * (hits * (n - hits) / n + z * z / 4) ** 0.5
    return (centre - spread) / (n + z * z), (centre + spread) / (n + z * z)


def _last_clause(said: str) -> str:
    return re.split(r"[,.:;!，。：；！]\s*", said.rstrip(" .!。！"))[-1]


if __name__ == "__main__":
    main()
