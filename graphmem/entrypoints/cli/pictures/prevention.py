"""What would have prevented it: the smallest fix, and what had happened all the same."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.domain.explanations import Explanation, WhatIf
from graphmem.entrypoints.cli.memories import headline
from graphmem.entrypoints.cli.pictures.drawing import safe
from graphmem.entrypoints.cli.pictures.markup import SHOWN, by_id, named, table
from graphmem.entrypoints.cli.words import say


def fix(found: Explanation) -> str:
    """The smallest fix, and the causes that are enough alone."""
    names = by_id(found)
    lines = []
    for key, ids in (("report.joint_fix", found.joint_fix), ("report.every", found.on_every_path)):
        if ids:
            listed = "".join(f"<li>{named(names[item])} {safe(headline(names[item]))}</li>" for item in ids)
            lines.append(f"<p>{safe(say(key))}</p><ul>{listed}</ul>")
    return "".join(lines) or f"<p>{safe(say('report.no_fix'))}</p>"


def what_ifs(found: Explanation, without: WhatIf, alone: Sequence[WhatIf]) -> str:
    """How much each cause of the fix saves alone, and what had happened without all of them."""
    if not without.removed:
        return ""
    names = {memory.id: memory.ref for memory in found.nodes}
    single = "".join(f"<li>{safe(_saved(found, names[one.removed[0]], one))}</li>" for one in alone)
    happening = [item for item in without.still if item.high > 0]
    rows = [
        [
            f"{named(item.memory)} {safe(headline(item.memory))}",
            f'<span class="figure">{item.probability:.2f} [{item.low:.2f}, {item.high:.2f}]</span>',
        ]
        for item in happening[:SHOWN]
    ]
    refs = " + ".join(ref for item, ref in names.items() if item in without.removed)
    key = "report.what_if" if happening else "report.all_prevented"
    lead = f"<p>{safe(say(key, refs=refs, avoided=f'{without.avoided:.1f}'))}</p>"
    means = f"<p>{safe(say('explain.still_means'))}</p>"
    rest = table(["", say("report.still")], rows) + means if happening else ""
    return (f"<ul>{single}</ul>" if single else "") + lead + rest


def _saved(found: Explanation, ref: str, one: WhatIf) -> str:
    return say(
        "report.alone",
        ref=ref,
        of=found.of.ref,
        avoided=f"{one.avoided:.1f}",
        p=f"{one.still[0].probability:.2f}",
    )
