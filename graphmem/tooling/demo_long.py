"""The long play: four weeks are recorded, then summed up with what explain and impact can say."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from graphmem.domain.answers import Impact
from graphmem.domain.drafts import CauseRef, ExperienceDraft, FactDraft
from graphmem.domain.memories import Experience, Fact, Memory, Result
from graphmem.services.wording import LANGUAGES
from graphmem.tooling.demo import STARTS, USER, WRITER, Screen
from graphmem.tooling.demo_weeks import EPISODES, KINDS, SUCCESSES, WRONG_FACTS, worded
from graphmem.wiring import Services

STEP = timedelta(minutes=20)
"""From one failure of a chain to the next."""
ENDS = STARTS + timedelta(weeks=4)
"""When the four weeks are told: at the end of them."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was written: the chains as memories, and by kind the wrong facts with those that replaced them."""

    chains: list[list[Memory]] = field(default_factory=list)
    wrong: dict[str, Memory] = field(default_factory=dict)
    instead: dict[str, Memory] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LongPlay:
    """One showing of the four weeks."""

    services: Services
    namespace: str
    language: str
    screen: Screen

    def show(self) -> None:
        """Record the weeks, then sum them up."""
        recorded = self.record()
        counts = self.services.inspect.status(self.namespace).counts
        self.screen.line(self._say("title"))
        self.screen.line(
            self._say(
                "counts",
                failures=counts["FAILURE"],
                successes=counts["EXPERIENCE"] - counts["FAILURE"],
                facts=counts["FACT"],
                superseded=counts["SUPERSEDES"],
                edges=counts["CAUSED_BY"],
            )
        )
        self.families(recorded)
        self.roots(recorded)
        self.wrong_facts(recorded)
        self.longest(recorded)

    def record(self) -> Recorded:
        """Write everything, in the order of the days; the same keys on every run."""
        recorded = Recorded()
        for kind, wrong in WRONG_FACTS.items():
            draft = self._fact(f"weeks:fact:{kind}", wrong.statement, STARTS)
            recorded.wrong[kind] = self.services.remember.fact(self.namespace, draft).memory
        for number, (day, kinds) in enumerate(EPISODES, start=1):
            drafts = self._chain(number, day, kinds.split(), recorded.wrong)
            written = self.services.remember.many(self.namespace, drafts)
            recorded.chains.append([item.memory for item in written])
        for kind, wrong in WRONG_FACTS.items():
            since = STARTS + timedelta(days=wrong.until)
            draft = self._fact(f"weeks:instead:{kind}", wrong.instead, since, (recorded.wrong[kind].id,))
            recorded.instead[kind] = self.services.remember.fact(self.namespace, draft).memory
        self.services.remember.many(self.namespace, self._successes())
        return recorded

    def families(self, recorded: Recorded) -> None:
        """How often each family failed."""
        failures = [memory for chain in recorded.chains for memory in chain if isinstance(memory, Experience)]
        families = Counter((memory.manifestation, memory.tool) for memory in failures)
        cells = [[f"   {self._say('family')}", self._say("tool"), self._say("times")]]
        cells += [[f"   {fault}", tool, str(count)] for (fault, tool), count in families.most_common(6)]
        self.screen.heading(self._say("families"))
        self.screen.table(cells)

    def roots(self, recorded: Recorded) -> None:
        """Which root causes lie behind the incidents, and how many failures each led to."""
        incidents: dict[str, list[Memory]] = defaultdict(list)
        total = sum(len(chain) for chain in recorded.chains)
        for chain in recorded.chains:
            best = self.services.explain.explain(self.namespace, chain[-1].id, limit=1).root_causes[0].memory
            incidents[
                best.text if isinstance(best, Fact) else str(getattr(best, "manifestation", ""))
            ].append(best)
        sizes = {name: self._size(roots) for name, roots in incidents.items()}
        cells = [["   " + self._say("root"), *(self._say(key) for key in ("incidents", "led", "covered"))]]
        covered = 0
        for name in sorted(sizes, key=lambda item: (-sizes[item], item)):
            covered += sizes[name]
            cells.append(
                [f"   {name}", str(len(incidents[name])), str(sizes[name]), f"{covered / total:.0%}"]
            )
        self.screen.heading(self._say("roots"))
        self.screen.table(cells)

    def wrong_facts(self, recorded: Recorded) -> None:
        """What was believed, what replaced it, and what it cost."""
        self.screen.heading(self._say("wrong"))
        for kind, fact in recorded.wrong.items():
            found = self._impact(fact)
            old, new = (
                f"{fact.ref} {fact.text}",
                f"{recorded.instead[kind].ref} {recorded.instead[kind].text}",
            )
            self.screen.line(
                "   " + self._say("replaced", old=old, new=new, failures=found.failures, tasks=found.tasks)
            )

    def longest(self, recorded: Recorded) -> None:
        """The longest chain as a tree, with its root."""
        chain = max(recorded.chains, key=len)
        self.screen.heading(self._say("longest"))
        self.screen.explanation(self.services.explain.explain(self.namespace, chain[-1].id, limit=1))

    def _say(self, key: str, **values: object) -> str:
        return worded(key, self.language, **values)

    def _text(self, texts: tuple[str, str]) -> str:
        return texts[LANGUAGES.index(self.language)]

    def _size(self, roots: list[Memory]) -> int:
        """How many failures these roots led to, themselves included where they are failures."""
        unique = {memory.id: memory for memory in roots}.values()
        return sum(self._impact(memory).failures + isinstance(memory, Experience) for memory in unique)

    def _impact(self, memory: Memory) -> Impact:
        return self.services.explain.impact(self.namespace, memory.id)

    def _fact(
        self, key: str, texts: tuple[str, str], since: datetime, older: tuple[str, ...] = ()
    ) -> FactDraft:
        return FactDraft(
            key=f"demo:{self.language}:{key}",
            statement=self._text(texts),
            valid_from=since,
            occurred_at=since,
            supersedes=older,
            writer=USER,
        )

    def _chain(
        self, number: int, day: int, kinds: list[str], wrong: dict[str, Memory]
    ) -> list[ExperienceDraft]:
        drafts: list[ExperienceDraft] = []
        for place, kind in enumerate(kinds):
            causes = [CauseRef(key=drafts[-1].key)] if drafts else []
            if kind in wrong and day <= WRONG_FACTS[kind].until:
                causes.append(CauseRef(id=wrong[kind].id, confidence=0.9))
            drafts.append(
                ExperienceDraft(
                    **self._experience(
                        f"{number}:{place}", kind, STARTS + timedelta(days=day) + place * STEP
                    ),
                    **self._fault(kind),
                    result=Result.FAILURE,
                    task_id=f"demo:{self.language}:incident:{number}",
                    caused_by=tuple(causes),
                )
            )
        return drafts

    def _successes(self) -> list[ExperienceDraft]:
        return [
            ExperienceDraft(
                **self._experience(f"worked:{number}", kind, STARTS + timedelta(days=day, hours=5)),
                context=rows,
                result=Result.SUCCESS,
            )
            for number, (day, kind, rows) in enumerate(SUCCESSES)
        ]

    def _experience(self, key: str, kind: str, at: datetime) -> dict[str, Any]:
        return {
            "key": f"demo:{self.language}:weeks:{key}",
            "action": self._text(KINDS[kind].action),
            "tool": KINDS[kind].tool,
            "task_type": "daily-report",
            "occurred_at": at,
            "writer": WRITER,
        }

    def _fault(self, kind: str) -> dict[str, Any]:
        return {
            "error_type": KINDS[kind].error_type,
            "manifestation": self._text(KINDS[kind].fault),
            "correction": self._text(KINDS[kind].correction),
        }
