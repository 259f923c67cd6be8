"""What is due in a namespace by the clock, or by how much was written."""

from __future__ import annotations

from graphmem.services.reflect import Reflect
from graphmem.services.sweep import Sweep


def look_after(reflect: Reflect, sweep: Sweep, namespace: str) -> int:
    """Reflect and sweep where it is time for it; how many reflections that made.

    Raises UnavailableError when the store is away.
    """
    reflected = reflect.if_due(namespace)
    if sweep.is_due(namespace):
        sweep.sweep(namespace)
    return int(reflected)
