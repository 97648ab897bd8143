"""client-go's figures: 0.8 s, doubled up to 30 s, jitter up to the same again, reset after two minutes."""

import itertools

import pytest

from framework.informers.backoff import Backoff
from framework.testing.virtual_time import VirtualTime
from tests.unit.framework.informers.scripted import Bench, FixedRandom, Watch, line, listed, obj, refused, status


def test_waits_double_from_800_ms_to_30_s() -> None:
    backoff = Backoff(VirtualTime().clock, FixedRandom())

    waits = [backoff.next_wait() for _ in range(8)]

    assert waits == pytest.approx([0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0])


def test_jitter_adds_up_to_the_same_again() -> None:
    backoff = Backoff(VirtualTime().clock, FixedRandom(0.5))

    waits = [backoff.next_wait() for _ in range(8)]

    assert waits == pytest.approx([1.2, 2.4, 4.8, 9.6, 19.2, 38.4, 45.0, 45.0])


def test_two_quiet_minutes_reset_it() -> None:
    time = VirtualTime()
    backoff = Backoff(time.clock, FixedRandom())
    before = [backoff.next_wait() for _ in range(3)]

    time.advance(120.0)
    at_two_minutes = backoff.next_wait()
    time.advance(120.1)
    after_two_minutes = backoff.next_wait()

    assert before[-1] == pytest.approx(3.2)
    assert at_two_minutes == pytest.approx(6.4)
    assert after_two_minutes == pytest.approx(0.8)


@pytest.mark.parametrize(("code", "reason"), [(500, "InternalError"), (503, ""), (429, "TooManyRequests")])
def test_a_watch_that_the_server_cannot_serve_now_is_tried_again_in_place(code: int, reason: str) -> None:
    bench = Bench()
    bench.server.will(listed(7), *[refused(code, reason)] * 7)

    reflector = bench.start()
    bench.time.advance(200)

    times = [watch.at for watch in bench.server.watches]
    pauses = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert pauses == pytest.approx([0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0])
    assert {watch.version for watch in bench.server.watches} == {"7"}
    assert len(bench.server.lists) == 1
    reflector.stop()


@pytest.mark.parametrize(("asked", "waited"), [("5", 6.0), ("0", 1.2), ("3600", 36.0), ("Sun, 06 Nov 1994", 1.2)])
def test_the_time_that_a_server_names_is_waited_with_jitter_and_within_reason(asked: str, waited: float) -> None:
    bench = Bench(random=FixedRandom(0.5))
    bench.server.will(listed(7), refused(429, "TooManyRequests", **{"retry-after": asked}))

    reflector = bench.start()
    bench.time.advance(100)

    first, second = bench.server.watches
    assert second.at - first.at == pytest.approx(max(waited * 1.1 / 1.2, 1.2))
    reflector.stop()


@pytest.mark.parametrize(("asked", "waited"), [(9, 9.0), (3600, 30.0)])
def test_the_time_named_in_an_error_event_is_waited_too_within_reason(asked: int, waited: float) -> None:
    bench = Bench()
    busy = line("ERROR", status(429, "TooManyRequests", retry_after=asked))
    bench.server.will(listed(7), Watch([line("ADDED", obj("a", 8)), busy]))

    reflector = bench.start()
    bench.time.advance(100)

    assert [(watch.version, watch.at) for watch in bench.server.watches] == [("7", 0.0), ("8", waited)]
    reflector.stop()


@pytest.mark.parametrize(("code", "reason"), [(403, "Forbidden"), (404, "NotFound")])
def test_what_an_administrator_must_mend_is_looked_for_every_few_seconds(code: int, reason: str) -> None:
    bench = Bench()
    bench.server.will(*[refused(code, reason)] * 10)

    reflector = bench.start()
    bench.time.advance(21.5)

    times = [request.at for request in bench.server.lists]
    pauses = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert pauses == pytest.approx([0.8, 1.6, 3.2, 4.0, 4.0, 4.0])
    assert bench.failures == [reason] * 7
    reflector.stop()
