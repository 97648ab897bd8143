"""Who came after whom: as far as the watch tells, and no further."""

from typing import Any

from apis.confidentialcontainers.peerpod import PeerPod
from apis.meta import Key
from controllers.peerpod.arrivals import Arrivals
from framework.clock import SystemClock
from framework.runtime import ThreadRuntime
from framework.store import Change, Entry


def entry(name: str, version: int = 1) -> Entry:
    return Entry(Key("tenant", name), f"uid-{name}", version, b"{}")


def change(old: Entry | None, new: Entry | None, **how: Any) -> Change[PeerPod]:
    return Change(lambda _entry: PeerPod(), old, new, **how)


def arrivals_of(*changes: Change[PeerPod]) -> Arrivals:
    arrivals = Arrivals(ThreadRuntime(), SystemClock())
    assert all(arrivals.note(each) for each in changes)
    return arrivals


def numbers(arrivals: Arrivals, *names: str) -> list[int]:
    found = [arrivals.number_of(f"uid-{name}") for name in names]
    return [each for each in found if each is not None]


def test_what_the_watch_tells_has_an_order() -> None:
    a, b = numbers(arrivals_of(change(None, entry("a")), change(None, entry("b"))), "a", "b")

    assert a < b


def test_what_one_list_brings_has_none_but_comes_before_what_the_watch_tells() -> None:
    initial = [change(None, entry(name), is_initial=True) for name in ("a", "b")]
    a, b, c = numbers(arrivals_of(*initial, change(None, entry("c"))), "a", "b", "c")

    assert a == b < c


def test_what_a_later_list_brings_comes_after_what_was_known() -> None:
    listed = [change(None, entry(name), is_listed=True) for name in ("b", "c")]
    a, b, c = numbers(arrivals_of(change(None, entry("a")), *listed), "a", "b", "c")

    assert a < b == c


def test_an_update_does_not_make_it_newer() -> None:
    updated = change(entry("a"), entry("a", 3))
    a, b = numbers(arrivals_of(change(None, entry("a")), change(None, entry("b")), updated), "a", "b")

    assert a < b


def test_what_is_gone_is_forgotten() -> None:
    arrivals = arrivals_of(change(None, entry("a")), change(entry("a"), None))

    assert (arrivals.number_of("uid-a"), arrivals.seconds_since("uid-a")) == (None, None)


def test_the_age_is_known_of_what_was_seen_to_come() -> None:
    arrivals = arrivals_of(change(None, entry("old"), is_initial=True), change(None, entry("new")))

    assert arrivals.seconds_since("uid-old") is None
    assert (arrivals.seconds_since("uid-new") or 0.0) >= 0.0
