"""All memories of one kind in one namespace: a row each, and a partition per searched field."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from graphmem.domain.memories import Memory, MemoryKind, SearchField, State, searchable
from graphmem.domain.rules import is_witness
from graphmem.index.partition import FieldScores, Partition, PreparedQuery, Space

FIELDS: dict[MemoryKind, tuple[SearchField, ...]] = {
    MemoryKind.FACT: (SearchField.TEXT,),
    MemoryKind.EXPERIENCE: (SearchField.SITUATION, SearchField.OUTCOME),
    MemoryKind.PATTERN: (SearchField.TEXT,),
    MemoryKind.STRATEGY: (SearchField.TEXT,),
}
WITNESS = "witness"
"""Column of what speaks for itself and repeats nothing that was served; so is its value."""
COLUMNS = ("agent", "tool", "task_type", "action", "result", "state", "episode", WITNESS)
"""What rows can be compared by."""
MICROSECONDS_PER_DAY = 86_400e6
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _microseconds(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)


def _value(memory: Memory, column: str) -> str:
    if column == WITNESS:
        return WITNESS if is_witness(memory) else ""
    return str(getattr(memory, column, ""))


class Column:
    """A short text per row, kept as a number, so that a whole column is compared at once."""

    def __init__(self) -> None:
        self._codes = np.zeros(16, dtype=np.int32)
        self._code_of: dict[str, int] = {"": 0}

    def put(self, row: int, value: str) -> None:
        """Set the value of a row."""
        while row >= len(self._codes):
            self._codes = np.concatenate([self._codes, np.zeros(len(self._codes), dtype=np.int32)])
        self._codes[row] = self._code_of.setdefault(value, len(self._code_of))

    def equals(self, value: str, rows: int) -> NDArray[np.bool_]:
        """Which of the first rows hold exactly this value."""
        same: NDArray[np.bool_] = self._codes[:rows] == self._code_of.get(value, -1)
        return same


class Shelf:
    """Rows of one kind. A row keeps its number while the memory lives; freed rows are used again."""

    def __init__(self, kind: MemoryKind, space: Space | None) -> None:
        self.fields = {name: Partition(space) for name in FIELDS[kind]}
        self._row_of: dict[str, int] = {}
        self._free: list[int] = []
        self.ids: list[str] = []
        self._occurred = np.zeros(16, dtype=np.int64)
        self._recorded = np.zeros(16, dtype=np.int64)
        self._columns = {name: Column() for name in COLUMNS}

    def put(self, memory: Memory) -> None:
        """Index a memory; only ACTIVE and SUPERSEDED ones are searchable, others are taken out."""
        if memory.state not in (State.ACTIVE, State.SUPERSEDED):
            self.remove(memory.id)
            return
        row = self._row(memory.id)
        self._occurred[row] = _microseconds(memory.occurred_at)
        self._recorded[row] = _microseconds(memory.recorded_at)
        for name, column in self._columns.items():
            column.put(row, _value(memory, name))
        texts = searchable(memory)
        for name, partition in self.fields.items():
            if name in texts:
                partition.put(row, texts[name], memory.vectors.get(name))
            else:
                partition.remove(row)

    def remove(self, memory_id: str) -> None:
        """Take a memory out; unknown ids are ignored."""
        row = self._row_of.pop(memory_id, None)
        if row is None:
            return
        self.ids[row] = ""
        self._free.append(row)
        for column in self._columns.values():
            column.put(row, "")
        for partition in self.fields.values():
            partition.remove(row)

    def score(self, field: SearchField, query: PreparedQuery) -> FieldScores:
        """Scores of every row of this shelf in one field."""
        return self.fields[field].score(query, len(self.ids))

    def present(self, field: SearchField) -> NDArray[np.bool_]:
        """Which rows have a text in this field."""
        return self.fields[field].present(len(self.ids))

    def age_days(self, now: datetime) -> NDArray[np.float64]:
        """Days since each row's memory occurred; negative for the future."""
        return (_microseconds(now) - self._occurred[: len(self.ids)]) / MICROSECONDS_PER_DAY

    def equal(self, column: str, value: str) -> NDArray[np.bool_]:
        """Which rows hold exactly this value in one of COLUMNS."""
        return self._columns[column].equals(value, len(self.ids))

    def within(self, start: datetime | None, end: datetime | None) -> NDArray[np.bool_]:
        """Which rows occurred from start (inclusive) to end (exclusive); None is open."""
        occurred = self._occurred[: len(self.ids)]
        inside = np.ones(len(occurred), dtype=bool)
        if start is not None:
            inside &= occurred >= _microseconds(start)
        if end is not None:
            inside &= occurred < _microseconds(end)
        return inside

    def known_before(self, moment: datetime) -> NDArray[np.bool_]:
        """Which rows had been recorded before a moment."""
        known: NDArray[np.bool_] = self._recorded[: len(self.ids)] < _microseconds(moment)
        return known

    def row(self, memory_id: str) -> int | None:
        """The row of a memory, None when it is not here."""
        return self._row_of.get(memory_id)

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, memory_id: str) -> bool:
        return memory_id in self._row_of

    def _row(self, memory_id: str) -> int:
        row = self._row_of.get(memory_id)
        if row is not None:
            return row
        if self._free:
            row = self._free.pop()
            self.ids[row] = memory_id
        else:
            row = len(self.ids)
            self.ids.append(memory_id)
            if row >= len(self._occurred):
                more = np.zeros(len(self._occurred), dtype=np.int64)
                self._occurred = np.concatenate([self._occurred, more])
                self._recorded = np.concatenate([self._recorded, more])
        self._row_of[memory_id] = row
        return row
