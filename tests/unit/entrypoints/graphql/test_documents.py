"""Documents are measured before they cost anything: the work of refusing any of them is bounded."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from graphql import DocumentNode, get_introspection_query, parse

from graphmem.entrypoints.graphql import documents
from graphmem.entrypoints.graphql.schema import schema
from graphmem.queries import graphql_operation
from tests.unit.entrypoints.graphql.door import Door
from tests.work import calls

PLAIN = "{ status { revision } }"
MOST_CALLS = 1_500_000
"""Function calls that reading one document may take: about what 200 ms of processor time hold."""
SIX = "revision namespace store embedder mode notes"


def spreading(count: int, times: int = 2) -> str:
    """Fragments that each spread the next one several times."""
    chain = " ".join(f"fragment F{i} on Status {{ {f'...F{i + 1} ' * times} }}" for i in range(count - 1))
    return f"{{ status {{ ...F0 }} }} {chain} fragment F{count - 1} on Status {{ revision }}"


HOSTILE = {
    "22 fragments that spread the next one twice": spreading(22),
    "9 fragments that spread the next one twice": spreading(9),
    "11 fragments": spreading(11, times=1),
    "a circle of fragments": "{ status { ...A } } fragment A on Status { ...B } fragment B on Status { ...A }",
    "a fragment in itself": "{ status { ...A } } fragment A on Status { ...A }",
    "an unknown fragment": "{ status { ...A } }",
    "one fragment of 54 fields spread 300 times": "{ status { "
    + "...A " * 300
    + "} } fragment A on Status { "
    + f"{SIX} " * 9
    + "}",
    "5,000 aliases": "{ " + " ".join(f"a{i}: __typename" for i in range(5_000)) + " }",
    "16 aliases": "{ " + " ".join(f"a{i}: __typename" for i in range(16)) + " }",
    "aliases in fragments": "{ status { ...A } again: status { ...A } } fragment A on Status { "
    + " ".join(f"a{i}: revision" for i in range(8))
    + " }",
    "one field 20,000 times": "{ " + PLAIN[2:-2] * 20_000 + " }",
    "one field 900 times": "{ status { " + "revision " * 900 + "} }",
    "3,000 directives": "{ status { revision " + "@include(if: true) " * 3_000 + "} }",
    "450 directives": "{ status " + " ".join(f"@x{i}" for i in range(450)) + " { revision } }",
    "depth 14": "{ " + "recall { " * 14 + "revision" + " }" * 15,
    "depth 11": '{ recall(situation: "a") { facts { failedHere { ' + "metadata { " * 9 + "x" + " }" * 13,
    "1,000 braces": "{" * 1_000 + "a" + "}" * 1_000,
    "a list 5,000 deep": "{ recall(situation: " + "[" * 5_000 + "]" * 5_000 + ") { revision } }",
    "900 unknown fields": "{ status { " + " ".join(f"revisio{i}" for i in range(900)) + " } }",
    "900 long unknown fields": "{ status { " + " ".join("r" * 90 + str(i) for i in range(900)) + " } }",
    "900 unknown enum values": "{ memories(filter: { kinds: ["
    + " ".join(f"FAC{i}" for i in range(900))
    + "] }) { nodes { id } } }",
    "a number of 90,000 digits": "{ memories(first: " + "9" * 90_000 + ") { nodes { id } } }",
    "a document of 900,000 characters": "{ __typename #" + "x" * 900_000 + "\n}",
    "a name of 90,000 characters": "{ " + "x" * 90_000 + " }",
    "240 variables": "query(" + " ".join(f"$a{i}: Int" for i in range(240)) + ") " + PLAIN,
    "fields of the types of fields of types": "{ __schema { types { fields { type { fields { type { fields {"
    " type { name } } } } } } } } }",
    "no operation": "fragment A on Status { revision }",
    "the same operation name twice": f"query A {PLAIN} query A {PLAIN}",
    "several operations, none chosen": f"query A {PLAIN} query B {PLAIN}",
    "a subscription": "subscription { status { revision } }",
    "a mutation that is none": "mutation { status { revision } }",
    "half a surrogate pair": '{ memory(id: "\\ud800") { __typename } }',
    "a syntax error": "{ status { revision }",
    "nothing": "   ",
    "a comment": "# nothing",
}


@pytest.mark.parametrize("document", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_documents_are_refused_at_once(door: Door, document: str) -> None:
    """Refused with 4xx and a code, and the next request is answered."""
    answer = door.ask(document)
    assert 400 <= answer.status < 500
    assert answer.data is None
    assert {error["extensions"]["code"] for error in answer.errors} <= {"BAD_INPUT", "TOO_LARGE"}
    assert len(answer.errors) <= documents.MAX_ERRORS + 1
    assert door.get(PLAIN) == {"revision": 0}


@pytest.mark.parametrize("document", HOSTILE.values(), ids=HOSTILE.keys())
def test_refusing_costs_little_work(document: str) -> None:
    assert calls(lambda: _read(document)) < MOST_CALLS


VALID_AND_DEAR = {
    "many inline fragments": "{ "
    + " ".join("... on Query { status { " + "revision " * 9 + "} }" for _ in range(54))
    + " }",
    "introspection, again and again": "{ __schema { types { "
    + " ".join("... { fields { name type { name } } }" for _ in range(60))
    + " } } }",
}


@pytest.mark.parametrize("document", VALID_AND_DEAR.values(), ids=VALID_AND_DEAR.keys())
def test_validation_is_bounded_for_what_passes_too(document: str) -> None:
    """The dearest documents within all limits cost bounded work, and cost it only once."""
    assert calls(lambda: _read(document)) < MOST_CALLS
    assert calls(lambda: _read(document)) < 100


def _read(document: str) -> None:
    with suppress(documents.GraphQLError):
        documents.parsed(document)
        documents.validated(schema()._schema, document, True)


def test_a_document_at_the_limits_is_answered(door: Door) -> None:
    """Ten fragments, each spread once by fragments, and 15 aliases are allowed."""
    chain = spreading(10, times=1)
    assert door.get(chain) == {"revision": 0}
    aliases = " ".join(f"a{i}: revision" for i in range(15))
    assert set(door.get(f"{{ status {{ {aliases} }} }}").values()) == {0}


def test_a_fragment_may_be_spread_by_operations_several_times(door: Door) -> None:
    answer = door.ask("{ a: status { ...A } b: status { ...A } } fragment A on Status { revision }")
    assert answer.data == {"a": {"revision": 0}, "b": {"revision": 0}}


def test_the_usual_introspection_query_is_answered(door: Door) -> None:
    """Its fragments spread each other several times; they are told by their introspection types."""
    assert door.get(get_introspection_query())["queryType"]["name"] == "Query"


def test_measuring_is_linear() -> None:
    """Ten times as long a document is ten times the work to measure."""
    spent = []
    for count in (50, 500):
        document = parse("{ " + " ".join("... { status { revision } }" for _ in range(count)) + " }")
        spent.append(calls(lambda measured=document: _measure(measured)))
    assert spent[1] < 12 * spent[0]


def _measure(document: DocumentNode) -> None:
    with suppress(documents.GraphQLError):
        documents.measure(document)


def test_parsed_and_validated_documents_are_kept() -> None:
    """The caches stay alive from request to request: the rules are built once."""
    text = graphql_operation("recall")
    assert documents.parsed(text) is documents.parsed(text)
    before = documents.validated.cache_info().hits
    for _ in range(3):
        documents.validated(schema()._schema, text, True)
    assert documents.validated.cache_info().hits >= before + 2


def test_the_operation_named_is_the_one_run(door: Door) -> None:
    document = "query A { status { revision } } query B { status { namespace } }"
    body = {"query": document, "operationName": "B"}
    assert door.send(json.dumps(body).encode()).data == {"status": {"namespace": "main"}}
    unknown = door.send(json.dumps(body | {"operationName": "C"}).encode())
    assert (unknown.status, unknown.code, unknown.field) == (400, "BAD_INPUT", "operationName")
