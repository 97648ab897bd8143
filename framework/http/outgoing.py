"""The way out of a connection."""

import asyncio
from collections import deque
from collections.abc import Callable

_SLICE_BYTES = 64 * 1024


class Outgoing:
    """Hands bytes to the transport as fast as the client takes them.

    A large answer stays the one object it is, instead of being copied whole
    into the buffers of the transport and of TLS.
    """

    def __init__(self, transport: asyncio.WriteTransport, on_drained: Callable[[], None]) -> None:
        self._transport = transport
        self._on_drained = on_drained
        self._unsent: deque[memoryview] = deque()
        self._is_paused = False
        # Grows whenever the client has taken all that was on its way.
        self.pauses = 0

    @property
    def is_paused(self) -> bool:
        return self._is_paused

    @property
    def is_drained(self) -> bool:
        """Whether the transport has taken everything and wants more."""
        return not self._is_paused and not self._unsent

    def send(self, data: bytes) -> None:
        if self.is_drained and len(data) <= _SLICE_BYTES:
            self._transport.write(data)
            return
        self._unsent.append(memoryview(data))
        self._send_slices()

    def pause(self) -> None:
        self._is_paused = True
        self.pauses += 1

    def resume(self) -> None:
        self._is_paused = False
        self._send_slices()
        if self.is_drained:
            self._on_drained()

    def drop(self) -> None:
        self._unsent.clear()

    def _send_slices(self) -> None:
        unsent = self._unsent
        while unsent and not self._is_paused:
            data = unsent.popleft()
            # Before the write, which may pause us from inside.
            if len(data) > _SLICE_BYTES:
                unsent.appendleft(data[_SLICE_BYTES:])
            self._transport.write(data[:_SLICE_BYTES])
