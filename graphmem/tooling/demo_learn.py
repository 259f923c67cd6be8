"""The learning loop as a play: failures become a pattern and a strategy, are said or withheld, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from graphmem.domain.answers import Recollection
from graphmem.domain.drafts import ExperienceDraft, Question, SituationKeys
from graphmem.domain.memories import Experience, Memory, MemoryKind, Pattern, Result, Strategy
from graphmem.domain.proof import Effect, Rate
from graphmem.domain.recurrence import Answer, ReminderAnswer
from graphmem.ports.queries import PageRequest, Selection
from graphmem.tooling.demo import WRITER, Screen
from graphmem.tooling.demo_story import AGENT
from graphmem.wiring import Services

HOLDOUT = 0.5
"""How often the coin withholds the lesson in this play."""
SESSIONS = 12
TOOL = "read_prices"
TASK_TYPE = "import"
FILES = {
    "en": ("january", "february", "march", "april", "may"),
    "zh": ("一月", "二月", "三月", "四月", "五月"),
}

_WORDS = {
    "en": {
        "title": "An agent makes one mistake five times. Nobody tells it what they have in common.",
        "action": "import the price list of {file}",
        "context": "the last cell of the price column is empty",
        "manifestation": "the parser broke on an empty price cell",
        "correction": "treat an empty price cell as missing",
        "pattern": "three tasks: a pattern",
        "high": "five tasks: well supported, and a strategy in force",
        "before": "Before the next import it asks",
        "coin": "Twelve more imports. A coin withholds the lesson from about half of the sessions; the agent is"
        " scripted: it does what it is told, and fails when it is told nothing.",
        "session": "session",
        "told": "lesson",
        "next": "june",
        "batch": "batch {number}",
        "shown": "shown",
        "withheld": "withheld",
        "result": "result",
        "came back": "where it came back",
        "of": "{count} of {n}, 95 % interval {low:.2f} to {high:.2f}",
        "effect": "difference {difference:+.2f}, interval {low:+.2f} to {high:+.2f}, p = {p:.4f}",
        "honest": "That is what a scripted agent does with a lesson; with yours it is measured the same way:"
        " graphmem recurrence, graphmem experiment.",
    },
    "zh": {
        "title": "一个 Agent 把同一个错误犯了五次，没有人告诉它这些错误的共同点。",
        "action": "导入{file}的价格表",
        "context": "价格列的最后一个单元格为空",
        "manifestation": "解析器在空的价格单元格上出错",
        "correction": "把空的价格单元格当作缺失值",
        "pattern": "三次任务：得出一个模式",
        "high": "五次任务：证据充分，生成一条生效的策略",
        "before": "下一次导入之前，它先问",
        "coin": "再导入十二次。硬币在大约一半的会话中扣留这条教训；Agent 按脚本行事：看到就照做，没看到就再错一次。",
        "session": "会话",
        "told": "教训",
        "next": "六月",
        "batch": "第 {number} 批",
        "shown": "展示",
        "withheld": "扣留",
        "result": "结果",
        "came back": "再次出现的比例",
        "of": "{n} 次中 {count} 次，95% 区间 {low:.2f} 至 {high:.2f}",
        "effect": "差值 {difference:+.2f}，区间 {low:+.2f} 至 {high:+.2f}，p = {p:.4f}",
        "honest": "这是脚本 Agent 的表现；你的 Agent 用同样的方法衡量：graphmem recurrence、graphmem experiment。",
    },
}


@dataclass(frozen=True, slots=True)
class LearnPlay:
    """One showing, over services whose hold-out is HOLDOUT."""

    services: Services
    namespace: str
    language: str
    screen: Screen

    def show(self) -> None:
        """All acts."""
        self.screen.line(self._say("title"))
        self.lessons()
        self.asking()
        self.sessions()
        self.proof()

    def lessons(self) -> None:
        """Five failures; what each of them leads to."""
        for number, file in enumerate(FILES[self.language], start=1):
            failure = self._record(f"demo:learn:{self.language}:{number}", file, Result.FAILURE)
            self.screen.line(f"   {failure.ref} ✗ {failure.action} → {failure.manifestation}")
            if number in (3, 5):
                self.screen.line(f" = {self._say('pattern' if number == 3 else 'high')}")
                for lesson in self.lessons_now():
                    self.screen.line(f"   {lesson.ref} {_standing(lesson)}  {_first_line(lesson)}")

    def lessons_now(self) -> list[Memory]:
        """The patterns and strategies of the namespace, patterns first."""
        kinds = (MemoryKind.PATTERN, MemoryKind.STRATEGY)
        found = self.services.browse.memories(self.namespace, Selection(kinds=kinds), PageRequest(first=20))
        return sorted(found.items, key=lambda memory: (memory.kind, memory.id))

    def asking(self) -> None:
        """What the agent is told before it acts, in a session of nobody's: nothing is withheld."""
        self.screen.heading(self._say("before"))
        self.screen.reminders(self._ask(self._say("next"), ""))

    def sessions(self) -> None:
        """Sessions that are told, or not, as the coin falls."""
        self.screen.heading(self._say("coin"))
        cells = [[f"   {self._say('session')}", self._say("told"), self._say("result")]]
        for number in range(1, SESSIONS + 1):
            name = f"demo-learn-{self.language}-{number}"
            file = self._say("batch", number=number)
            found = self._ask(file, name)
            told = bool(found.reminders)
            for reminder in found.reminders:
                given = ReminderAnswer(exposure_id=reminder.exposure_id, answer=Answer.APPLIED)
                self.services.sessions.answer(self.namespace, given)
            result = Result.SUCCESS if told else Result.FAILURE
            ended = self._record(f"demo:learn:{self.language}:{name}", file, result, name)
            self.services.sessions.end(self.namespace, name)
            sign = "✓" if told else f"✗ {ended.ref}"
            cells.append([f"   {number}", self._say("shown" if told else "withheld"), sign])
        self.screen.table(cells)

    def proof(self) -> None:
        """What showing did against withholding."""
        found = self.services.measure.experiment(self.namespace)
        self.screen.heading(self._say("came back"))
        self.screen.table(
            [
                [f"   {self._say('shown')}", self._share(found.shown.rate)],
                [f"   {self._say('withheld')}", self._share(found.withheld.rate)],
            ]
        )
        self.screen.line(f"   {self._effect(found.effect)}")
        self.screen.line(self._say("honest"))

    def _ask(self, file: str, session_id: str) -> Recollection:
        situation = "\n".join([self._say("action", file=file), self._say("context")])
        keys = SituationKeys(tool=TOOL, task_type=TASK_TYPE, agent=AGENT)
        return self.services.recall.ask(
            self.namespace, Question(situation=situation, keys=keys, session_id=session_id)
        )

    def _record(self, key: str, file: str, result: Result, session_id: str = "") -> Experience:
        failed = result is Result.FAILURE
        draft = ExperienceDraft(
            key=key,
            action=self._say("action", file=file),
            context=self._say("context"),
            result=result,
            manifestation=self._say("manifestation") if failed else "",
            correction=self._say("correction") if failed else "",
            tool=TOOL,
            agent=AGENT,
            task_type=TASK_TYPE,
            task_id=key,
            session_id=session_id,
            writer=WRITER,
        )
        written = self.services.remember.experience(self.namespace, draft).memory
        assert isinstance(written, Experience)
        return written

    def _share(self, rate: Rate) -> str:
        return self._say("of", count=rate.count, n=rate.n, low=rate.low, high=rate.high)

    def _effect(self, effect: Effect) -> str:
        if effect.difference is None:
            return "-"
        numbers = {name: getattr(effect, name) for name in ("difference", "low", "high", "p")}
        return self._say("effect", **numbers)

    def _say(self, key: str, **values: object) -> str:
        return _WORDS[self.language][key].format(**values)


def _standing(lesson: Memory) -> str:
    if isinstance(lesson, Pattern):
        return f"{lesson.level.lower()}, {lesson.episodes}"
    return lesson.status.lower() if isinstance(lesson, Strategy) else ""


def _first_line(lesson: Memory) -> str:
    return lesson.text.splitlines()[0]
