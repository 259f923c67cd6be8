"""Fitting the reminder gate of a namespace on what became of its own exposures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graphmem.analysis.calibration import SHIPPED, Judgement, in_force, tried
from graphmem.domain.encoding import decode
from graphmem.domain.errors import StaleError
from graphmem.domain.gate import FEATURES, GatePrior
from graphmem.domain.proof import Calibration
from graphmem.domain.records import Record, SpaceParameters
from graphmem.domain.recurrence import Exposure, was_relevant
from graphmem.domain.rules import check_namespace
from graphmem.index.index_set import IndexSet
from graphmem.ports.changes import Changes
from graphmem.ports.store import MemoryStore
from graphmem.services.history import Judged, read_history
from graphmem.services.intake import Clock
from graphmem.services.notebook import Notebook
from graphmem.services.spaces import Spaces, space_record


class Calibrate:
    """Takes a refitted gate only where it is better than the shipped one on sessions that it was not fitted on.

    The gate is one of the frozen numbers of the namespace's embedding space, since relevance is measured in it: it
    goes with a re-embedding, and only exposures noted since then count. Who calibrates again starts from the shipped
    gate again, so that the same outcomes give the same gate.
    """

    def __init__(
        self, store: MemoryStore, indexes: IndexSet, spaces: Spaces, notebook: Notebook, clock: Clock
    ) -> None:
        self._store = store
        self._indexes = indexes
        self._spaces = spaces
        self._notebook = notebook
        self._clock = clock

    def calibrate(self, namespace: str, dry_run: bool = False) -> Calibration:
        """Fit the gate on the outcomes so far, and put it in force where it is better; dry_run only tells.

        With too few labels the gate stays as it is; where a refit is no better, the shipped one is in force again.
        Where no vectors are compared nothing was seen, and the shipped one stays.
        Raises BadInputError, StaleError when the space changed meanwhile, UnavailableError.
        """
        check_namespace(namespace)
        version = self._store.state(namespace).parameters_version
        record = self._spaces.record(namespace)
        parameters = decode(SpaceParameters, record.body) if record else None
        if record is None or parameters is None or not parameters.complete:
            return _told((), SHIPPED, dry_run=dry_run)
        self._notebook.flush()
        history = read_history(self._store, self._indexes, namespace, None, record.at, self._clock())
        found = _told(history.judged, in_force(parameters.gate), dry_run=dry_run, truncated=history.truncated)
        if found.changed and not dry_run:
            gate = None if found.gate == SHIPPED else found.gate
            self._put(namespace, space_record(replace(parameters, gate=gate), record.at), version)
        return found

    def _put(self, namespace: str, record: Record, version: int) -> None:
        """Another version of the parameters: every process reads them again before its next answer."""
        changes = Changes(namespace=namespace, at=self._clock(), records=(record,))
        try:
            self._store.apply(
                replace(changes, parameters_version=version + 1, expected_parameters_version=version)
            )
        except StaleError as error:
            raise StaleError(
                f"the parameters of {namespace!r} changed meanwhile",
                field="namespace",
                remedy="calibrate again",
            ) from error
        finally:
            self._spaces.forget(namespace)


def _told(
    judged: Sequence[Judged], before: GatePrior, *, dry_run: bool, truncated: bool = False
) -> Calibration:
    """What exposures say of the gate that is in force."""
    seen = [item for item in judged if _is_usable(item.exposure)]
    labels = [(item.exposure, label) for item in seen if (label := _judgement(item)) is not None]
    trial = tried([label for _, label in labels])
    gate = before
    if trial is not None:
        gate = trial.refitted if trial.better else SHIPPED
    return Calibration(
        exposures=len(seen),
        labels=len(labels),
        relevant=sum(label.relevant for _, label in labels),
        withheld=sum(not exposure.shown for exposure, _ in labels),
        trial=trial,
        gate=gate,
        changed=gate != before,
        dry_run=dry_run,
        truncated=truncated,
    )


def _is_usable(exposure: Exposure) -> bool:
    """Whether the gate looked at it, and at the features of today."""
    return exposure.look is not None and exposure.look.version == FEATURES


def _judgement(item: Judged) -> Judgement | None:
    """What can be fitted; None where nobody can know whether it was to the point."""
    look, relevant = item.exposure.look, was_relevant(item.exposure, item.outcome)
    if look is None or relevant is None:
        return None
    return Judgement(look.evidence, relevant, item.exposure.session_id)
