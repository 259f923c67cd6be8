"""What if some causes of a failure had not been?"""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.analysis.what_if import what_if as drawn
from graphmem.domain.errors import BadInputError
from graphmem.domain.explanations import Explanation, Survival, WhatIf
from graphmem.domain.identifiers import spellings
from graphmem.domain.memories import is_failure


def what_if(found: Explanation, remove: Sequence[str] | None = None) -> WhatIf:
    """An explanation without the causes named by id or ref: what would have happened all the same, how surely.

    None: without the smallest joint fix; where there is none, nothing is removed. The model is that of
    analysis.what_if, over the nodes and edges of the explanation. Nothing is written. Raises BadInputError for an
    empty list, or for a memory that the explanation does not hold.
    """
    if remove is None:
        return _without(found, found.joint_fix)
    names = {memory.ref: memory.id for memory in found.nodes} | {node.id: node.id for node in found.nodes}
    meant = [next((spelt for spelt in spellings(name) if spelt in names), "") for name in remove]
    unknown = [name for name, spelt in zip(remove, meant, strict=True) if not spelt]
    if not remove or unknown:
        raise BadInputError(
            f"{unknown[0]!r} is no node of this explanation" if unknown else "names nothing",
            field="remove",
            remedy="name nodes of the explanation by id or ref",
        )
    return _without(found, [names[name] for name in meant])


def _without(found: Explanation, gone: Sequence[str]) -> WhatIf:
    looked_at = {memory.id: memory for memory in found.nodes if is_failure(memory)} | {found.of.id: found.of}
    answer = drawn(found.edges, looked_at.keys(), gone)
    in_order = sorted(looked_at, key=lambda node: (node != found.of.id, node))
    return WhatIf(
        removed=answer.removed,
        prevented=answer.prevented,
        still=tuple(
            Survival(memory=looked_at[node], probability=one.value, low=one.low, high=one.high, n=one.n)
            for node in in_order
            for one in (answer.still[node],)
        ),
        avoided=round(answer.avoided, 6),
    )
