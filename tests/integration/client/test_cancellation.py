"""A watch that must end now, in whatever phase it is; and nothing of it stays behind."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest

from apis.core.v1 import ConfigMap
from framework.client import Cancellation, Client, ClusterAddress, Connection, StaticCredentials, Timeouts, connect
from framework.client.curl import CurlTransport
from framework.clock import SystemClock
from framework.errors import Cancelled, TransportError
from framework.runtime import ThreadRuntime
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from framework.testing.relay import CutAfter, EndCleanly, Fault, Match, Relay, Stall

LIMIT_SECONDS = 30.0
# A cancellation that is not heard would take as long as the limits below; a busy machine does not take this long.
AT_ONCE = 10.0
WATCH_TIMEOUTS = Timeouts(idle_seconds=70, total_seconds=None)
RUNTIME = ThreadRuntime()


class Watch:
    """A watch of the config maps of a namespace, in a task."""

    def __init__(self, client: Client, namespace: str = "default") -> None:
        self.chunks: list[bytes] = []
        self.outcome: list[BaseException | None] = []
        self.cancellation = Cancellation(RUNTIME)
        self.has_begun = RUNTIME.event()
        self._client = client
        self._namespace = namespace
        self._task = RUNTIME.spawn("watch", self._run)

    def _run(self) -> None:
        try:
            self._client.watch(
                ConfigMap,
                self._namespace,
                {},
                on_chunk=self._on_chunk,
                cancellation=self.cancellation,
                timeouts=WATCH_TIMEOUTS,
            )
        except TransportError as error:
            self.outcome.append(error)
        else:
            self.outcome.append(None)

    def _on_chunk(self, chunk: bytes) -> None:
        self.chunks.append(chunk)
        self.has_begun.set()

    def cancel(self) -> float:
        """Seconds until it had ended."""
        started = SystemClock().monotonic()
        self.cancellation.request()
        self._task.join(LIMIT_SECONDS)
        assert not self._task.is_alive()
        return SystemClock().monotonic() - started


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_a_watch_in_silence_ends_at_once(client: Client, namespace: str) -> None:
    watch = Watch(client, namespace)
    assert watch.has_begun.wait(LIMIT_SECONDS)

    seconds = watch.cancel()

    assert isinstance(watch.outcome[0], Cancelled)
    assert seconds < AT_ONCE


def test_a_watch_begins_with_an_empty_chunk_even_in_silence(client: Client, namespace: str) -> None:
    watch = Watch(client, namespace)
    assert watch.has_begun.wait(LIMIT_SECONDS)
    watch.cancel()

    assert watch.chunks[0] == b""


def test_a_watch_whose_headers_do_not_come_ends_at_once(relayed: Client, relay: Relay) -> None:
    stalled = relay.inject(Fault(Match(), Stall(before_headers=True)))
    watch = Watch(relayed)
    stalled.wait()

    assert watch.cancel() < AT_ONCE
    assert isinstance(watch.outcome[0], Cancelled)


def test_a_watch_that_is_frozen_ends_at_once(relayed: Client, relay: Relay) -> None:
    watch = Watch(relayed)
    assert watch.has_begun.wait(LIMIT_SECONDS)
    relay.freeze()

    assert watch.cancel() < AT_ONCE
    relay.restore()


def test_a_watch_that_is_still_connecting_ends_at_once(unanswered: str) -> None:
    with closing(connect(StaticCredentials(ClusterAddress(unanswered))).connection) as connection:
        before = open_files()
        watch = Watch(Client(connection))
        assert wait_until(lambda: open_files() > before, limit_seconds=LIMIT_SECONDS)

        assert watch.cancel() < AT_ONCE

    assert isinstance(watch.outcome[0], Cancelled)
    assert open_files() <= before


def test_a_watch_that_was_cancelled_before_it_began_sends_nothing(relayed: Client, relay: Relay) -> None:
    cancellation = Cancellation(RUNTIME)
    cancellation.request()
    before = open_files()

    with pytest.raises(Cancelled):
        relayed.watch(
            ConfigMap, "", {}, on_chunk=lambda _chunk: None, cancellation=cancellation, timeouts=WATCH_TIMEOUTS
        )

    assert relay.requests == []
    assert open_files() <= before


def test_an_exception_of_the_reader_ends_the_watch_and_comes_out(client: Client) -> None:
    def refuse(_chunk: bytes) -> None:
        raise ValueError("not like this")

    with pytest.raises(ValueError, match="not like this"):
        client.watch(ConfigMap, "", {}, on_chunk=refuse, cancellation=Cancellation(RUNTIME), timeouts=WATCH_TIMEOUTS)


def test_a_watch_that_is_cut_off_is_no_clean_end(relayed: Client, relay: Relay, config_map: ConfigMap) -> None:
    for reset in (True, False):
        relay.inject(Fault(Match(), CutAfter(bytes=20, reset=reset)))
        watch = Watch(relayed, config_map.metadata.namespace)
        watch._task.join(LIMIT_SECONDS)

        assert isinstance(watch.outcome[0], TransportError)
        assert not isinstance(watch.outcome[0], Cancelled)


def test_cancelled_watches_leave_nothing_open(client: Client, namespace: str) -> None:
    client.raw_get("/version")
    before = open_files()

    for _ in range(50):
        watch = Watch(client, namespace)
        assert watch.has_begun.wait(LIMIT_SECONDS)
        watch.cancel()

    assert open_files() <= before


def test_many_watches_are_cancelled_together(client: Client, namespace: str) -> None:
    watches = [Watch(client, namespace) for _ in range(20)]
    assert all(watch.has_begun.wait(LIMIT_SECONDS) for watch in watches)

    seconds = [watch.cancel() for watch in watches]

    assert sum(seconds) < AT_ONCE


def test_a_closed_client_leaves_nothing_open(control_plane: ControlPlane, connect_to: Callable[..., Client]) -> None:
    before = open_files()
    client = connect_to(control_plane.kubeconfig)
    for _ in range(3):
        client.raw_get("/version")

    client.connection.close()

    assert open_files() <= before


class RequestedAtTheEnd(Cancellation):
    """Requested when the exchange is over, but before it is forgotten."""

    def forget(self, close: Callable[[], None]) -> bool:
        self.request()
        return super().forget(close)


def test_a_cancellation_that_comes_too_late_does_not_touch_the_next_exchange(
    relayed: Client, relay: Relay, connections: list[object], config_map: ConfigMap
) -> None:
    relay.inject(Fault(Match(query={"watch": "true"}), EndCleanly(after_events=1)))

    with pytest.raises(Cancelled):
        relayed.watch(
            ConfigMap,
            config_map.metadata.namespace,
            {},
            on_chunk=lambda _chunk: None,
            cancellation=RequestedAtTheEnd(RUNTIME),
            timeouts=WATCH_TIMEOUTS,
        )

    # Its handle may still be shut: it must not be there for the next exchange to find.
    assert not cast("CurlTransport", cast("Connection", relayed.connection)._transport)._idle
    relayed.raw_get("/version")
    assert len(connections) == 2
