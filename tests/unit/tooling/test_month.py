"""The month that is lived for a notebook is equal on every run; the notebook checks what is found in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.config import Settings
from graphmem.domain.proof import Experiment
from graphmem.tooling.demo import numbered_ids
from graphmem.tooling.month import HOLDOUT, Calendar, Month
from graphmem.wiring import build


def lived(folder: Path, month: Month) -> tuple[Experiment, int]:
    """What the experiment says of a month, and the digest of what it left."""
    folder.mkdir()
    calendar = Calendar()
    settings = Settings(store=f"sqlite:///{folder / 'memory.db'}", embedder="none", holdout=HOLDOUT)
    services = build(settings, clock=calendar, new_id=numbered_ids())
    try:
        month.live(services, "demo-month", calendar)
        return services.measure.experiment("demo-month"), services.store.state("demo-month").graph_digest
    finally:
        services.close()


@pytest.mark.slow
def test_two_equal_months_leave_the_same(tmp_path: Path) -> None:
    short = Month(days=6)
    first, second = lived(tmp_path / "a", short), lived(tmp_path / "b", short)
    assert first == second
    assert first[0].rate == HOLDOUT
    assert first[0].shown.exposures + first[0].withheld.exposures == 6 * 6
    assert min(first[0].shown.rate.n, first[0].withheld.rate.n) > 0
