"""Edges as properties of relationships, and back; evidence and verdicts are JSON texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from neo4j import Record

from graphmem.adapters.neo4j.values import UNREADABLE, instant, moment, parsed, signed, storable, unsigned
from graphmem.domain.causation import (
    EDGE_KINDS,
    CauseEdge,
    Edge,
    EdgeKind,
    Evidence,
    GeneralizesEdge,
    Verdict,
)
from graphmem.domain.encoding import canonical, decode, edge_digest, encode

EdgeKey = tuple[EdgeKind, str, str]
"""Kind and ends: what makes an edge one."""


_PARTS = {EdgeKind.CAUSED_BY: ("lag_ms", "evidence", "verdicts"), EdgeKind.GENERALIZES: ("source",)}


class Owned(NamedTuple):
    """An edge and the digest that it was counted with."""

    edge: Edge
    digest: int


def key_of(edge: Edge) -> EdgeKey:
    """The kind and the ends of an edge."""
    return edge.kind, edge.from_id, edge.to_id


def edge_properties(namespace: str, edge: Edge) -> dict[str, Any]:
    """All properties of an edge's relationship. active, grade and confidence follow from the evidence."""
    with storable("edge"):
        properties: dict[str, Any] = {
            "namespace": namespace,
            "recorded_at": instant("recorded_at", edge.recorded_at),
            "digest": signed(edge_digest(edge)),
        }
        if isinstance(edge, CauseEdge):
            properties |= {
                "lag_ms": edge.lag_ms,
                "active": edge.active,
                "grade": edge.grade.name if edge.grade else "REFUTED",
                "confidence": edge.confidence,
                "evidence": canonical(encode(edge.evidence)),
                "verdicts": canonical(encode(edge.verdicts)),
            }
        elif isinstance(edge, GeneralizesEdge):
            properties["source"] = edge.source
        return properties


def owned_from(row: Record | Mapping[str, Any]) -> Owned | None:
    """The edge of a row {kind, from_id, to_id, edge}; None for a relationship that a person drew by hand."""
    try:
        return _owned(row)
    except UNREADABLE:
        return None


def fault_of(row: Mapping[str, Any]) -> str:
    """Why a row has no edge; '' when it has one."""
    try:
        _owned(row)
    except UNREADABLE as error:
        gone = [
            key
            for key in ("recorded_at", "digest", *_PARTS.get(row["kind"], ()))
            if row["edge"].get(key) is None
        ]
        return f"{gone[0]} is missing" if gone else str(error)
    return ""


def _owned(row: Record | Mapping[str, Any]) -> Owned:
    properties = row["edge"]
    kind = EdgeKind(row["kind"])
    given: dict[str, Any] = {"from_id": _id(row["from_id"]), "to_id": _id(row["to_id"])}
    given |= {"recorded_at": moment(properties["recorded_at"])}
    if kind is EdgeKind.CAUSED_BY:
        given |= {
            "lag_ms": int(properties["lag_ms"]),
            "evidence": tuple(decode(Evidence, item) for item in parsed(properties["evidence"])),
            "verdicts": tuple(decode(Verdict, item) for item in parsed(properties["verdicts"])),
        }
    elif kind is EdgeKind.GENERALIZES:
        given["source"] = str(properties["source"])
    return Owned(EDGE_KINDS[kind](**given), unsigned(properties["digest"]))


def _id(value: Any) -> str:
    """The id of an end. Raises TypeError for a node that lost its own."""
    if not isinstance(value, str):
        raise TypeError("no id")
    return value
