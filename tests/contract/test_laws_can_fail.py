"""Each of the weightier laws is broken by a store with that mistake, and holds for the store without it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import pytest

from graphmem.domain.records import JobKind
from graphmem.ports.store import MemoryStore
from tests.contract import (
    broken_finding,
    broken_stores,
    test_counting,
    test_edges,
    test_erasing,
    test_failures,
    test_fidelity,
    test_finding_and_paging,
    test_free_jobs,
    test_idempotency,
    test_isolation,
    test_records_and_jobs,
    test_restoring,
    test_taking_over,
    test_writing,
)
from tests.contract import test_revisions_and_feed as feed
from tests.contract.model_store import ModelStore
from tests.contract.test_random_histories import MAX_EXAMPLES, compare

Law = Callable[[MemoryStore], None]

MISTAKES: list[tuple[type[ModelStore], Law]] = [
    (broken_stores.HalfWriting, test_writing.test_an_action_fails_whole),
    (
        broken_finding.AlwaysGivesVectors,
        partial(
            test_finding_and_paging.test_vectors_are_left_out_where_nobody_wants_them,
            wanted={},
            ascending=True,
        ),
    ),
    (broken_finding.KeepsVectorsToItself, test_finding_and_paging.test_the_vectors_of_the_laws_are_there),
    (broken_stores.HalfWriting, test_edges.test_both_ends_must_exist),
    (broken_stores.LastWriterWins, test_writing.test_a_stale_update_is_refused),
    (broken_stores.LastWriterWins, test_writing.test_concurrent_updates_lose_nothing),
    (broken_stores.ReusesRefs, test_writing.test_refs_are_never_reused),
    (broken_stores.ForgetsKeys, test_idempotency.test_a_retry_gets_the_first_receipt),
    (broken_stores.ForgetsKeys, test_idempotency.test_many_writers_with_one_key),
    (
        broken_stores.ForgetsKeysOfTheErased,
        partial(test_erasing.test_a_retry_brings_nothing_back, payload="h"),
    ),
    (
        broken_stores.ForgetsOwners,
        partial(feed.test_an_edge_moves_its_owner, kind="caused by"),
    ),
    (broken_stores.SumsMemoriesOnly, feed.test_the_digests_of_all_rows_make_the_graph_digest),
    (broken_stores.MovesForRecords, feed.test_service_records_move_nothing),
    (
        broken_stores.CutsInsideARevision,
        partial(feed.test_pages_add_up_to_the_whole, limit=2),
    ),
    (broken_stores.LosesTombstones, feed.test_an_erasure_leaves_a_tombstone),
    (broken_stores.FoldsNames, test_isolation.test_look_alike_names_are_different),
    (broken_stores.CountsDuplicates, test_counting.test_a_member_counts_once),
    (broken_stores.AnnouncesAgain, test_counting.test_each_change_of_level_is_recorded_once),
    (broken_stores.AnnouncesAgain, test_counting.test_many_writers_count_exactly),
    (broken_stores.KeepsOldValues, test_erasing.test_the_text_is_nowhere),
    (broken_stores.HidesRefuted, test_edges.test_a_refuted_edge_is_kept),
    (
        broken_stores.NormalisesText,
        partial(test_fidelity.test_text_is_byte_equal, text=test_fidelity.TEXTS["composed or not"]),
    ),
    (
        broken_stores.CutsTimes,
        partial(test_fidelity.test_times_are_exact, when=datetime(2026, 1, 1, 0, 0, 0, 1, tzinfo=UTC)),
    ),
    (
        broken_finding.SkipsEqualTimes,
        partial(test_finding_and_paging.test_pages_cover_everything_once_in_order, first=2, ascending=False),
    ),
    (broken_stores.HandsOutTwice, test_records_and_jobs.test_the_oldest_job_comes_first),
    (broken_stores.NamesTheIdle, test_free_jobs.test_only_namespaces_with_such_jobs_are_named),
    (
        broken_stores.NamesTheHeld,
        partial(test_free_jobs.test_a_held_job_is_not_to_be_had_before_its_lease_ran_out, kind=JobKind.EMBED),
    ),
    (
        broken_stores.NamesTheHeld,
        test_free_jobs.test_of_a_kind_done_alone_none_is_to_be_had_while_one_is_held,
    ),
    (broken_stores.RestartsRefs, test_restoring.test_refs_go_on_after_a_copy),
    (broken_stores.RestoresNoKeys, test_taking_over.test_erasures_are_restored),
    (broken_stores.StampsNoTime, test_taking_over.test_keys_are_listed),
    (broken_stores.MixesSpaces, test_taking_over.test_vectors_of_other_parameters_are_refused),
    (broken_stores.LosesTheFence, test_taking_over.test_a_batch_moves_its_job),
    (broken_finding.AnswersNothing, partial(test_failures.test_a_closed_store_says_so, name="find")),
]


FOUND_AT_RANDOM = (
    broken_stores.AnnouncesAgain,
    broken_stores.ForgetsKeysOfTheErased,
    broken_stores.ForgetsOwners,
    broken_stores.HalfWriting,
    broken_stores.LosesTombstones,
    broken_stores.MovesForRecords,
    broken_stores.ReusesRefs,
    broken_stores.SumsMemoriesOnly,
)


def named(value: object) -> str:
    """What a mistake or a law is called."""
    law = value.func if isinstance(value, partial) else value
    return getattr(law, "__name__", str(law))


@pytest.mark.parametrize(("mistake", "law"), MISTAKES, ids=named)
def test_the_law_finds_the_mistake(mistake: type[ModelStore], law: Law) -> None:
    """The law holds for the model, and fails for the model with the mistake."""
    law(ModelStore())
    with pytest.raises((Exception, pytest.fail.Exception)):
        law(mistake())


@pytest.mark.parametrize("mistake", FOUND_AT_RANDOM, ids=named)
def test_random_histories_find_the_mistake(mistake: type[ModelStore]) -> None:
    """Random histories beside the model find mistakes that nobody pointed them to."""
    with pytest.raises((AssertionError, ExceptionGroup)):
        compare(lambda _: mistake(), MAX_EXAMPLES, shrink=False)


def test_every_mistake_is_tried() -> None:
    """No broken store is left out."""
    made = {
        item
        for module in (broken_stores, broken_finding)
        for item in vars(module).values()
        if isinstance(item, type) and issubclass(item, ModelStore) and item.__module__ == module.__name__
    }
    assert made - {broken_stores.Afterthought} == {mistake for mistake, _ in MISTAKES}
