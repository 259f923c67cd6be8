"""Does the experiment find an effect that is known? Simulated months of traffic, no LLM, no store.

python -m benchmarks.experiment [--quick] [--json]

A month: 30 days with a random number of sessions a day. In a session the lineage would be listed; the real coin shows
or withholds it; in eight of ten sessions the work that it is about is done, and fails with the day's base rate, changed
by the effect where it was shown. The base rate falls from .50 to .26 within the month, whatever is said. Outcomes,
rates, intervals and the alarm are those of the service.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from benchmarks.reporting import Figure, arguments, emit
from graphmem.analysis.effects import effect, rate
from graphmem.domain.proof import Effect
from graphmem.domain.recurrence import Exposure, Lineage, Outcome, Step, exposure_id, outcome, withheld

START = datetime(2026, 1, 1, tzinfo=UTC)
DAYS = 30
SESSIONS_A_DAY = (10, 30)
BASE = (0.50, 0.26)
"""Rate of the mistake on the first and on the last day, without any memory."""
OCCASION = 0.8
"""Share of the sessions in which the work is done at all."""
INTRODUCED = 10
"""The day from which on the memory is used, for the baseline that compares before with after."""
LINEAGE = Lineage(id="c1", tools=frozenset({"load"}), families=frozenset({"oserror"}))
EFFECTS = {"helps": -0.15, "does nothing": 0.0, "harms": 0.15}
"""Change of the rate where the lineage is shown."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One decided or censored session."""

    day: int
    shown: bool
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one month says: did the interval cover the truth, lie below 0, lie above 0; and above 0 on any day."""

    covers: bool
    helps: bool
    harms: bool
    harms_on_a_day: bool


def month(seed: int, change: float, hides: float, introduced: int = 0) -> list[Trial]:
    """The sessions of a month. introduced: until that day nothing is shown, and no coin is thrown."""
    chance = Random(seed)
    trials = []
    for day in range(DAYS):
        base = BASE[0] + (BASE[1] - BASE[0]) * day / (DAYS - 1)
        for number in range(chance.randint(*SESSIONS_A_DAY)):
            name = f"{seed}-{day}-{number}"
            shown = day >= introduced and not withheld("benchmark", name, LINEAGE.id, hides)
            done = chance.random() < OCCASION
            failed = chance.random() < base + change * shown
            trials.append(Trial(day, shown, _outcome(name, day, shown, failed if done else None)))
    return trials


def _outcome(name: str, day: int, shown: bool, failed: bool | None) -> Outcome:
    """Judge a session by the rule of the service. failed None: the work was not done."""
    at = START + timedelta(days=day)
    exposure = Exposure(
        id=exposure_id(name, LINEAGE.id),
        session_id=name,
        lineage=LINEAGE.id,
        memory_id="m",
        at=at,
        shown=shown,
    )
    later = at + timedelta(minutes=5)
    elsewhere = Step(id=f"{name}-other", at=later, failed=False, tool="browse")
    work = Step(
        id=name,
        at=later,
        failed=bool(failed),
        tool="load",
        cluster_id=LINEAGE.id if failed else "",
        session_id=name,
    )
    steps = [elsewhere] if failed is None else [elsewhere, work]
    return outcome(exposure, LINEAGE, steps, later, later)


def compared(first: Sequence[Trial], second: Sequence[Trial]) -> Effect:
    """The rate of the first minus that of the second."""
    rates = []
    for trials in (first, second):
        recurred = sum(trial.outcome is Outcome.RECURRED for trial in trials)
        avoided = sum(trial.outcome is Outcome.AVOIDED for trial in trials)
        rates.append(rate(recurred, recurred + avoided))
    return effect(rates[0], rates[1])


def by_coin(trials: Sequence[Trial]) -> Effect:
    """Shown minus withheld."""
    return compared([one for one in trials if one.shown], [one for one in trials if not one.shown])


def before_after(trials: Sequence[Trial]) -> Effect:
    """From the day of the introduction minus before it: what can be said without a coin."""
    return compared(
        [one for one in trials if one.day >= INTRODUCED], [one for one in trials if one.day < INTRODUCED]
    )


def judge(found: Effect, truth: float, daily: Sequence[Effect] = ()) -> Verdict:
    """What an effect says. Raises ValueError for an empty arm."""
    if found.low is None or found.high is None:
        raise ValueError("an arm is empty")
    return Verdict(
        covers=found.low <= truth <= found.high,
        helps=found.high < 0,
        harms=found.harm,
        harms_on_a_day=found.harm or any(look.harm for look in daily),
    )


def months(runs: int, change: float, hides: float) -> list[Verdict]:
    """What the coin says of so many months, each also looked at every evening."""
    verdicts = []
    for seed in range(runs):
        trials = month(seed, change, hides)
        daily = [by_coin([one for one in trials if one.day <= day]) for day in range(DAYS - 1)]
        verdicts.append(judge(by_coin(trials), change, daily))
    return verdicts


def months_without_a_coin(runs: int, change: float) -> list[Verdict]:
    """What before and after say of the same traffic."""
    return [judge(before_after(month(seed, change, 0.0, INTRODUCED)), change) for seed in range(runs)]


def share(verdicts: Sequence[Verdict], name: str, baseline: Sequence[Verdict] = ()) -> Figure:
    """How many of the months say so, with Wilson's interval; beside it the baseline's share."""
    counted = rate(sum(getattr(one, name) for one in verdicts), len(verdicts))
    beside = (
        {"before/after, no coin": sum(getattr(one, name) for one in baseline) / len(baseline)}
        if baseline
        else {}
    )
    return Figure(counted.value or 0.0, counted.low, counted.high, counted.n, beside)


def tables(runs: int) -> Mapping[str, Mapping[str, Figure]]:
    """For each hold-out rate and effect: coverage, months that say it helps, alarms."""
    found: dict[str, dict[str, Figure]] = {}
    for change_name, change in EFFECTS.items():
        baseline = months_without_a_coin(runs, change)
        for hides in (0.5, 0.2):
            verdicts = months(runs, change, hides)
            found[f"showing it {change_name} ({change:+.2f}), {hides:.0%} withheld"] = {
                "the interval covers the truth": share(verdicts, "covers", baseline),
                "it is said to help": share(verdicts, "helps", baseline),
                "alarm at the end of the month": share(verdicts, "harms", baseline),
                "alarm on any evening": share(verdicts, "harms_on_a_day"),
            }
    return found


def main() -> None:
    """Measure and print."""
    options = arguments(__doc__ or "").parse_args()
    runs = 20 if options.quick else 200
    emit(
        tables(runs),
        options.json,
        [
            f"{runs} months each; a month has {DAYS * sum(SESSIONS_A_DAY) // 2} sessions on average, "
            f"{1 - OCCASION:.0%} of them without an occasion"
        ],
    )


if __name__ == "__main__":
    main()
