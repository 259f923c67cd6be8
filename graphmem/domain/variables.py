"""The names of the variables that graphmem reads, to tell a mistyped one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

VARIABLES = frozenset(
    {
        "GRAPHMEM_EMBEDDER",
        "GRAPHMEM_EMBED_KEY",
        "GRAPHMEM_EMBED_URL",
        "GRAPHMEM_FETCH_MODELS",
        "GRAPHMEM_GENERALIZE",
        "GRAPHMEM_HOLDOUT",
        "GRAPHMEM_HOLDOUT_SEED",
        "GRAPHMEM_HOST",
        "GRAPHMEM_INTROSPECTION",
        "GRAPHMEM_LLM",
        "GRAPHMEM_LLM_KEY",
        "GRAPHMEM_LLM_TOKENS",
        "GRAPHMEM_LLM_URL",
        "GRAPHMEM_NAMESPACE",
        "GRAPHMEM_PORT",
        "GRAPHMEM_REMINDER_SHARE",
        "GRAPHMEM_REMIND_FROM",
        "GRAPHMEM_STORE",
        "GRAPHMEM_TOKEN",
        "GRAPHMEM_URL",
        "GRAPHMEM_WEBHOOK",
        "GRAPHMEM_WEBHOOK_SECRET",
    }
)
"""Every GRAPHMEM_* variable that is read."""
_OURS = "GRAPHMEM_"
_FOR_TESTS = ("GRAPHMEM_TEST_", "GRAPHMEM_BENCH_", "GRAPHMEM_PICTURE")


def unknown(names: Iterable[str]) -> dict[str, str]:
    """The GRAPHMEM_* names among these that are never read, sorted, each with the nearest one that is ('' for none)."""
    strange = sorted(
        name
        for name in names
        if name.startswith(_OURS) and name not in VARIABLES and not name.startswith(_FOR_TESTS)
    )
    return {name: _nearest(name) for name in strange}


def _nearest(name: str) -> str:
    ends = {known.removeprefix(_OURS): known for known in VARIABLES}
    near = get_close_matches(name.removeprefix(_OURS), sorted(ends), n=1)
    return ends[near[0]] if near else ""
