"""Reads see own writes before the cache does, and nothing of others' is hidden by that."""

from typing import Any

from tests.unit.framework.own_writes.bench import Bench, content, key_of, status_of

DELETING: dict[str, Any] = {"deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 0}


def test_a_creation_is_seen_at_once_by_get_list_and_index(bench: Bench) -> None:
    bench.relist(5)

    bench.wrote("a", 7, verb="create")

    assert bench.seen("a") == 7
    assert len(bench.lister) == 1


def test_a_name_that_the_server_generated_is_found(bench: Bench) -> None:
    bench.relist(5)

    bench.wrote("job-x7k2p", 7, verb="create", generateName="job-")

    assert bench.seen("job-x7k2p") == 7


def test_an_update_is_seen_at_once_and_is_filed_under_its_new_index_value_only(bench: Bench) -> None:
    bench.relist(5, content("a", 4))

    bench.wrote("a", 7)

    assert bench.seen("a") == 7
    assert bench.lister.by_index("v", "4") == []


def test_the_event_of_a_write_ends_it_and_makes_a_change_as_ever(bench: Bench) -> None:
    bench.relist(5, content("a", 4))
    bench.wrote("a", 7)

    changes = bench.event("MODIFIED", "a", 7)

    assert [str(change) for change in changes] == ["Change(default/a, 4 -> 7)"]
    assert bench.seen("a") == 7
    assert not bench.has_pending


def test_an_event_that_is_faster_than_the_answer_leaves_nothing_behind(bench: Bench) -> None:
    bench.relist(5, content("a", 4))
    bench.event("MODIFIED", "a", 7)

    bench.wrote("a", 7)

    assert bench.seen("a") == 7
    assert not bench.has_pending


def test_a_foreign_change_after_ours_is_seen_as_soon_as_the_cache_has_it(bench: Bench) -> None:
    bench.relist(5, content("a", 4))
    bench.wrote("a", 7)

    bench.event("MODIFIED", "a", 9)

    assert bench.seen("a") == 9
    assert not bench.has_pending


def test_a_foreign_change_before_ours_does_not_turn_it_back(bench: Bench) -> None:
    bench.relist(5, content("a", 4))
    bench.wrote("a", 7)

    bench.event("MODIFIED", "a", 6)

    assert bench.seen("a") == 7


def test_a_foreign_deletion_and_a_new_object_of_that_name_are_seen(bench: Bench) -> None:
    bench.relist(5)
    bench.wrote("a", 7, "one", verb="create")

    bench.event("ADDED", "a", 7, "one")
    bench.event("DELETED", "a", 8, "one")
    assert bench.seen("a") is None
    bench.event("ADDED", "a", 9, "two")

    assert bench.seen("a") == 9


def test_an_object_created_and_deleted_by_somebody_before_the_cache_looked_is_gone_with_the_relist(
    bench: Bench,
) -> None:
    bench.relist(5)
    bench.wrote("a", 7, verb="create")

    bench.relist(9)

    assert bench.seen("a") is None
    assert not bench.has_pending


def test_a_relist_that_is_older_than_the_write_does_not_turn_it_back(bench: Bench) -> None:
    bench.wrote("a", 7)

    bench.relist(6, content("a", 4))

    assert bench.seen("a") == 7


def test_a_bookmark_past_the_write_ends_it(bench: Bench) -> None:
    bench.relist(5)
    bench.wrote("a", 7, verb="create")

    bench.bookmark(8)

    assert not bench.has_pending


def test_of_several_writes_the_newest_is_seen_in_whatever_order_they_are_answered(bench: Bench) -> None:
    bench.relist(5, content("a", 4))

    bench.wrote("a", 9)
    bench.wrote("a", 7)
    assert bench.seen("a") == 9
    bench.event("MODIFIED", "a", 7)

    assert bench.seen("a") == 9
    bench.event("MODIFIED", "a", 9)
    assert not bench.has_pending


def test_a_deleted_object_is_not_seen_any_more(bench: Bench) -> None:
    bench.relist(5, content("a", 4))

    bench.deleted("a")

    assert bench.seen("a") is None
    bench.event("DELETED", "a", 7)
    assert not bench.has_pending


def test_a_deletion_that_the_cache_saw_before_the_answer_leaves_nothing_behind(bench: Bench) -> None:
    bench.relist(5, content("a", 4))
    access = bench.sending("delete", "a")
    bench.event("DELETED", "a", 7)

    bench.own_writes.answered(access, status_of("uid-a"))

    assert not bench.has_pending


def test_a_deletion_does_not_hide_the_next_object_of_that_name(bench: Bench) -> None:
    bench.relist(5, content("a", 4, "one"))
    access = bench.sending("delete", "a")
    bench.event("DELETED", "a", 7, "one")
    bench.event("ADDED", "a", 8, "two")

    bench.own_writes.answered(access, status_of("one"))

    assert bench.seen("a") == 8
    assert bench.event("MODIFIED", "a", 9, "two") != []
    assert bench.seen("a") == 9


def test_what_is_created_deleted_and_created_again_before_the_cache_looks_is_the_last_one(bench: Bench) -> None:
    bench.relist(5)
    bench.wrote("a", 6, "one", verb="create")
    bench.deleted("a", "one")
    assert bench.seen("a") is None
    bench.wrote("a", 8, "two", verb="create")

    bench.event("ADDED", "a", 6, "one")
    assert bench.seen("a") == 8
    bench.event("DELETED", "a", 7, "one")
    assert bench.seen("a") == 8
    bench.event("ADDED", "a", 8, "two")

    assert bench.seen("a") == 8
    assert not bench.has_pending


def test_what_is_created_and_deleted_stays_unseen_while_the_cache_catches_up(bench: Bench) -> None:
    bench.relist(5)
    bench.wrote("a", 6, "one", verb="create")
    bench.deleted("a", "one")

    bench.event("ADDED", "a", 6, "one")
    assert bench.seen("a") is None
    bench.event("DELETED", "a", 7, "one")

    assert not bench.has_pending


def test_who_deletes_a_successor_does_not_see_the_predecessor_again(bench: Bench) -> None:
    bench.relist(5, content("a", 4, "one"))

    bench.deleted("a", "two")

    assert bench.seen("a") is None
    bench.event("DELETED", "a", 6, "one")
    bench.event("ADDED", "a", 7, "two")
    assert bench.seen("a") is None
    bench.event("DELETED", "a", 8, "two")
    assert not bench.has_pending


def test_a_deletion_that_finalizers_delay_shows_the_object_as_going(bench: Bench) -> None:
    bench.relist(5, content("a", 4, finalizers=["x/y"]))

    access = bench.sending("delete", "a")
    bench.own_writes.answered(access, content("a", 7, finalizers=["x/y"], **DELETING))

    assert bench.seen("a") == 7
    found = bench.lister.get(key_of("a"))
    assert found is not None
    assert found.metadata.is_being_deleted


def test_an_object_is_gone_with_its_last_finalizer_although_the_answer_shows_it_in_its_old_version(
    bench: Bench,
) -> None:
    bench.relist(5, content("a", 4, finalizers=["x/y"], **DELETING))

    access = bench.sending("patch", "a")
    bench.own_writes.answered(access, content("a", 4, **DELETING))

    assert bench.seen("a") is None
    bench.event("DELETED", "a", 7)
    assert not bench.has_pending


def test_a_pod_that_may_end_in_peace_is_going_and_one_that_may_not_is_gone(bench: Bench) -> None:
    bench.relist(5, content("a", 4), content("b", 4))

    peace = {**DELETING, "deletionGracePeriodSeconds": 30}
    bench.own_writes.answered(bench.sending("delete", "a"), content("a", 7, **peace))
    bench.own_writes.answered(bench.sending("delete", "b"), content("b", 7, **DELETING))

    assert bench.seen("a") == 7
    assert bench.seen("b") is None


def test_a_kind_that_answers_a_deletion_with_what_was_deleted_is_understood(bench: Bench) -> None:
    bench.relist(5, content("a", 4))

    bench.own_writes.answered(bench.sending("delete", "a"), content("a", 7))

    assert bench.seen("a") is None


def test_a_server_that_does_not_say_which_object_it_deleted_deleted_what_was_there(bench: Bench) -> None:
    bench.relist(5, content("a", 4))

    bench.own_writes.answered(bench.sending("delete", "a"), b'{"kind":"Status","status":"Success"}')

    assert bench.seen("a") is None
    bench.event("ADDED", "a", 9, "two")
    assert bench.seen("a") == 9


def test_writes_to_a_server_that_was_restored_from_a_backup_are_forgotten(bench: Bench) -> None:
    bench.relist(50, content("a", 44))
    bench.wrote("a", 55)

    bench.relist(20, content("a", 14))

    assert bench.seen("a") == 14
    assert not bench.has_pending


def test_reads_answer_from_the_cache_alone_when_nothing_is_pending(bench: Bench) -> None:
    bench.relist(5, content("a", 4))

    assert bench.lister.get(key_of("a")) is bench.store.get(key_of("a"))
