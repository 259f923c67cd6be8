"""What every resolver can reach: the services and the namespace of this request, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from strawberry.types import Info

from graphmem.wiring import Services


@dataclass(frozen=True)
class Context:
    """One request. The namespace was resolved once, from its header; no argument can name another."""

    services: Services
    namespace: str
    request_id: str


Asked: TypeAlias = Info[Context, None]
