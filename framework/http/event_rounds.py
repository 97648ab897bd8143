"""When to look which watches have something to send."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress


class EventRounds:
    """Runs callbacks on the event loop in rounds, with a pause between them.

    One event wakes every watch of its kind. A wake-up call costs a system
    call, and a write costs more than the event in it; so one call starts a
    round for all watches, and under load a round finds several events each.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, pause_seconds: float) -> None:
        self._loop = loop
        self._pause_seconds = pause_seconds
        self._earliest = 0.0
        # Invariant: if _callbacks has an entry, a round is under way or _is_called is true. Appending before
        # looking at the flag, and clearing the flag before emptying, keep it without a lock.
        self._callbacks: deque[Callable[[], None]] = deque()
        self._is_called = False

    def call(self, callback: Callable[[], None]) -> None:
        """Have *callback* called in the next round; from any thread."""
        self._callbacks.append(callback)
        if not self._is_called:
            self._is_called = True
            # A loop that is closed has closed its streams too; their producers need not know.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._plan)

    def _plan(self) -> None:
        if self._loop.time() >= self._earliest:
            self._run()
        else:
            self._loop.call_at(self._earliest, self._run)

    def _run(self) -> None:
        self._is_called = False
        self._earliest = self._loop.time() + self._pause_seconds
        # Those that come meanwhile are for the next round: requests want their turn too.
        for _ in range(len(self._callbacks)):
            self._callbacks.popleft()()
        if self._callbacks and not self._is_called:
            self._is_called = True
            self._loop.call_at(self._earliest, self._run)


class Waker:
    """What a watch gives to its stream: asks for one round at a time, however often it is called, from any thread."""

    def __init__(self, rounds: EventRounds, send: Callable[[], None]) -> None:
        self._rounds = rounds
        self._send = send
        self._is_called = False

    def __call__(self) -> None:
        if not self._is_called:
            self._is_called = True
            self._rounds.call(self._run)

    def _run(self) -> None:
        # First, so that an event that comes while the others are sent is called for again.
        self._is_called = False
        self._send()
