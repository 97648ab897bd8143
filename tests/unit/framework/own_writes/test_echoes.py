"""A change is known for an echo only if it is one own write and nothing else."""

from typing import Any

import pytest

from apis.meta import Key, Request
from framework.own_writes import Echoes, Reconcile, ReconcileScope
from framework.own_writes.echoes import Made
from framework.runtime import ThreadRuntime
from framework.store import Change, decode_envelope
from tests.unit.framework.own_writes.bench import Bench, content

WIDGET = Request(Key("default", "w"))
OTHER = Request(Key("default", "other"))


@pytest.fixture
def bench() -> Bench:
    made = Bench()
    made.relist(5, content("a", 4))
    made.own_writes.echoes.listen_for("widgets")
    return made


def write(bench: Bench, verb: str, answered: int, *, base: str = "", name: str = "a", uid: str = "") -> None:
    with ReconcileScope(Reconcile("widgets", WIDGET, "overlay")):
        access = bench.sending(verb, name, version=base)
        bench.own_writes.answered(access, content(name, answered, uid))


def is_echo(bench: Bench, changes: list[Change[Any]], request: Request = WIDGET, controller: str = "widgets") -> bool:
    (change,) = changes
    return bench.own_writes.echoes.is_echo(change, controller, request)


def test_a_conditional_write_is_an_echo_to_the_reconcile_that_made_it_and_news_to_all_others(bench: Bench) -> None:
    write(bench, "patch", 7, base="4")

    changes = bench.event("MODIFIED", "a", 7)

    assert is_echo(bench, changes)
    assert not is_echo(bench, changes, OTHER)
    assert not is_echo(bench, changes, controller="gadgets")


def test_a_creation_is_an_echo(bench: Bench) -> None:
    write(bench, "create", 7, name="b")

    assert is_echo(bench, bench.event("ADDED", "b", 7))


def test_a_foreign_write_before_ours_that_the_cache_skipped_is_not_swallowed(bench: Bench) -> None:
    write(bench, "patch", 8, base="7")
    entry = decode_envelope(content("a", 8))

    assert not is_echo(bench, bench.overlay.replace({entry.key: entry}, "", 8))


def test_a_foreign_write_before_ours_that_a_slow_handler_gets_merged_with_it_is_not_swallowed(bench: Bench) -> None:
    write(bench, "patch", 8, base="7")
    (theirs,) = bench.event("MODIFIED", "a", 7)
    (ours,) = bench.event("MODIFIED", "a", 8)

    assert not is_echo(bench, [theirs.followed_by(ours)])
    assert is_echo(bench, [ours])


def test_a_no_op_that_is_answered_with_a_foreign_version_does_not_swallow_it(bench: Bench) -> None:
    write(bench, "patch", 7)

    assert not is_echo(bench, bench.event("MODIFIED", "a", 7))


def test_a_conditional_no_op_makes_no_echo(bench: Bench) -> None:
    write(bench, "patch", 4, base="4")

    assert bench.own_writes.echoes._made == {}


def test_a_later_foreign_write_merged_with_ours_is_not_swallowed(bench: Bench) -> None:
    write(bench, "patch", 7, base="4")

    assert not is_echo(bench, bench.event("MODIFIED", "a", 9))


def test_an_object_of_the_same_name_with_another_uid_is_not_swallowed(bench: Bench) -> None:
    write(bench, "create", 7, name="b", uid="ours")

    assert not is_echo(bench, bench.event("ADDED", "b", 7, "theirs"))


def test_deletions_resyncs_and_the_initial_state_are_never_swallowed(bench: Bench) -> None:
    write(bench, "create", 7, name="b")
    entry = decode_envelope(content("b", 7))
    decode = bench.store.decode

    for change in (
        Change(decode, entry, None),
        Change(decode, entry, entry),
        Change(decode, None, entry, is_initial=True),
    ):
        assert not is_echo(bench, [change])


def test_writes_of_controllers_that_do_not_listen_and_outside_of_reconciles_are_not_remembered(bench: Bench) -> None:
    with ReconcileScope(Reconcile("gadgets", WIDGET, "overlay")):
        bench.wrote("b", 7, verb="create")
    bench.wrote("c", 8, verb="create")

    assert bench.own_writes.echoes._made == {}


def test_the_oldest_writes_are_forgotten() -> None:
    echoes = Echoes(ThreadRuntime(), longest=2)
    echoes.listen_for("widgets")

    for version in (1, 2, 3):
        echoes.note(Made("x", 0, version), "widgets", WIDGET)

    assert [made.version for made in echoes._made] == [2, 3]
