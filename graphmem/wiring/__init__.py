"""The services, put together over the store and the embedder that the settings name."""

from graphmem.wiring.assembly import Services, build
from graphmem.wiring.opening import open_embedder, open_store, open_target

__all__ = ["Services", "build", "open_embedder", "open_store", "open_target"]
