"""One handler's mailbox."""

from collections.abc import Callable
from functools import partial

import pytest
from structlog.typing import EventDict

from apis.core.v1 import ConfigMap
from apis.meta import resource_type_of
from framework.client import Codec
from framework.informers import HandlerRegistration
from framework.informers.handlers import MERGE_ABOVE
from framework.store import Change, Entry, decode_envelope
from framework.testing.virtual_time import VirtualTime
from tests.unit.framework.informers.scripted import obj

CODEC = Codec(ConfigMap, resource_type_of(ConfigMap))


class Mailbox:
    """A registration whose handler writes down what it gets, and first does what it is told."""

    def __init__(self, act: Callable[[Change[ConfigMap]], None] = lambda _: None) -> None:
        self.time = VirtualTime()
        self.act = act
        self.seen: list[str] = []
        self.latencies: list[float] = []
        self.registration: HandlerRegistration[ConfigMap] = HandlerRegistration(
            "test", self, runtime=self.time.runtime, clock=self.time.clock, measure=self
        )

    def on_change(self, change: Change[ConfigMap]) -> None:
        self.act(change)
        self.seen.append(str(change))

    def processed(self, seconds: float) -> None:
        self.latencies.append(seconds)

    def deliver(self, *changes: Change[ConfigMap], completes_initial: bool = False) -> None:
        self.registration.deliver(changes, completes_initial=completes_initial)

    def start(self) -> None:
        self.registration.start()
        self.time.wait_until_idle()


def an_entry(name: str, version: int, uid: str = "u") -> Entry:
    return decode_envelope(obj(name, version, uid))


def a_change(name: str, old: int | None, new: int | None, *, uids: tuple[str, str] = ("u", "u")) -> Change[ConfigMap]:
    return Change(
        lambda entry: CODEC.decode(entry.raw),
        None if old is None else an_entry(name, old, uids[0]),
        None if new is None else an_entry(name, new, uids[1]),
    )


def fill(mailbox: Mailbox) -> None:
    mailbox.deliver(*(a_change(f"filler-{number}", None, 1) for number in range(MERGE_ABOVE)))


def test_changes_come_in_order() -> None:
    mailbox = Mailbox()
    mailbox.deliver(a_change("a", None, 1), a_change("b", None, 2), a_change("a", 1, 3))

    mailbox.start()

    assert [change.removeprefix("Change(default/") for change in mailbox.seen] == [
        "a, None -> 1)",
        "b, None -> 2)",
        "a, 1 -> 3)",
    ]
    mailbox.registration.stop()


def test_a_handler_that_raises_gets_the_next_change_all_the_same(logs: list[EventDict]) -> None:
    def fail_on_a(change: Change[ConfigMap]) -> None:
        if change.key.name == "a":
            raise KeyError("bug")

    mailbox = Mailbox(fail_on_a)
    mailbox.deliver(a_change("a", None, 1), a_change("b", None, 2))

    mailbox.start()

    assert mailbox.seen == ["Change(default/b, None -> 2)"]
    assert [(entry["event"], entry["object"]) for entry in logs] == [("handler_failed", "default/a")]
    assert mailbox.registration.queued == 0
    mailbox.registration.stop()


def test_a_handler_has_synced_when_it_has_handled_what_was_there_at_first() -> None:
    mailbox = Mailbox(lambda _: mailbox.time.clock.wait(1.0))
    mailbox.deliver(a_change("a", None, 1), a_change("b", None, 2), completes_initial=True)
    mailbox.deliver(a_change("c", None, 3))
    mailbox.start()

    synced = [mailbox.registration.has_synced]
    for _ in range(2):
        mailbox.time.advance(1.0)
        synced.append(mailbox.registration.has_synced)

    assert synced == [False, False, True]
    assert len(mailbox.seen) == 2
    mailbox.registration.stop()


def test_who_waits_for_the_sync_is_told_in_the_middle_of_a_batch() -> None:
    mailbox = Mailbox(lambda _: mailbox.time.clock.wait(1.0))
    mailbox.deliver(a_change("a", None, 1), completes_initial=True)
    mailbox.deliver(a_change("b", None, 2), a_change("c", None, 3))
    mailbox.start()
    told: list[tuple[bool, float]] = []
    mailbox.time.runtime.spawn(
        "waiter",
        lambda: told.append((mailbox.registration.wait_for_sync(10.0), mailbox.time.clock.monotonic())),
    )

    mailbox.time.advance(5.0)

    assert told == [(True, 1.0)]
    mailbox.registration.stop()


def test_an_empty_initial_state_is_synced_at_once() -> None:
    mailbox = Mailbox()
    before = mailbox.registration.has_synced

    mailbox.deliver(completes_initial=True)

    assert not before
    assert mailbox.registration.has_synced


def test_waiting_for_a_sync_that_does_not_come_has_a_limit_and_ends_with_the_handler() -> None:
    mailbox = Mailbox()
    answers: list[tuple[bool, float]] = []

    def wait(limit: float) -> None:
        answers.append((mailbox.registration.wait_for_sync(limit), mailbox.time.clock.monotonic()))

    for limit in (3.0, 100.0):
        mailbox.time.runtime.spawn(f"waiter-{limit}", partial(wait, limit))

    mailbox.time.advance(5.0)
    mailbox.registration.stop()
    mailbox.time.wait_until_idle()

    assert answers == [(False, 3.0), (False, 5.0)]


def test_the_backlog_counts_the_change_that_is_being_handled() -> None:
    mailbox = Mailbox(lambda _: mailbox.time.clock.wait(1.0))
    mailbox.deliver(a_change("a", None, 1), a_change("b", None, 2))
    mailbox.start()
    mailbox.deliver(a_change("c", None, 3))

    queued = [mailbox.registration.queued]
    for _ in range(3):
        mailbox.time.advance(1.0)
        queued.append(mailbox.registration.queued)

    assert queued == [3, 2, 1, 0]
    mailbox.registration.stop()


def test_the_latency_is_that_of_the_oldest_change_of_a_batch() -> None:
    mailbox = Mailbox(lambda _: mailbox.time.clock.wait(1.0))
    mailbox.deliver(a_change("a", None, 1))
    mailbox.start()
    mailbox.deliver(a_change("b", None, 2), a_change("c", None, 3))

    mailbox.time.advance(3.0)

    assert mailbox.latencies == pytest.approx([1.0, 3.0])
    mailbox.registration.stop()


def test_a_long_backlog_grows_by_objects_not_by_changes() -> None:
    mailbox = Mailbox()
    fill(mailbox)

    for version in range(1, 5000):
        mailbox.deliver(a_change("a", version, version + 1))

    assert mailbox.registration.queued == MERGE_ABOVE + 1
    mailbox.start()
    assert mailbox.seen[MERGE_ABOVE:] == ["Change(default/a, 1 -> 5000)"]
    mailbox.registration.stop()


def test_a_change_that_comes_while_a_long_backlog_shrinks_does_not_overtake_the_merged_ones() -> None:
    def deliver_late(change: Change[ConfigMap]) -> None:
        if change.key.name == f"filler-{MERGE_ABOVE - 1}":
            mailbox.deliver(a_change("a", 2, 3))

    mailbox = Mailbox(deliver_late)
    fill(mailbox)
    mailbox.deliver(a_change("a", 1, 2))

    mailbox.start()

    assert mailbox.seen[MERGE_ABOVE:] == ["Change(default/a, 1 -> 3)"]
    mailbox.registration.stop()


def test_a_short_backlog_is_not_merged() -> None:
    mailbox = Mailbox()

    for version in (1, 2, 3):
        mailbox.deliver(a_change("a", version, version + 1))

    mailbox.start()
    assert len(mailbox.seen) == 3
    mailbox.registration.stop()


def test_what_came_and_went_in_a_long_backlog_was_never_there() -> None:
    mailbox = Mailbox()
    fill(mailbox)

    mailbox.deliver(a_change("a", None, 1), a_change("a", 1, None))

    mailbox.start()
    assert len(mailbox.seen) == MERGE_ABOVE
    assert mailbox.registration.queued == 0
    mailbox.registration.stop()


def test_what_was_recreated_in_a_long_backlog_is_deleted_and_created() -> None:
    mailbox = Mailbox()
    fill(mailbox)

    mailbox.deliver(a_change("a", 1, 2, uids=("old", "old")), a_change("a", 2, None, uids=("old", "old")))
    mailbox.deliver(a_change("a", None, 4, uids=("new", "new")))

    mailbox.start()
    assert mailbox.seen[MERGE_ABOVE:] == ["Change(default/a, 1 -> None)", "Change(default/a, None -> 4)"]
    mailbox.registration.stop()


def test_a_stopped_handler_is_not_called_again_not_even_for_what_it_had_taken() -> None:
    mailbox = Mailbox(lambda _: mailbox.time.clock.wait(1.0))
    mailbox.deliver(*(a_change(name, None, 1) for name in "abc"))
    mailbox.start()

    mailbox.registration.stop()
    mailbox.deliver(a_change("d", None, 1))
    mailbox.time.advance(10.0)

    assert mailbox.seen == ["Change(default/a, None -> 1)"]
    assert mailbox.registration.queued == 0
    assert mailbox.time.blocked() == frozenset()
