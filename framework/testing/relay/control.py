"""The switches of the network, and how a thread that waits on a socket hears of them."""

import select
import socket
import threading  # noqa: TID251 - the relay is outside the seams: it plays the network
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from framework.testing.relay.errors import Severed


class Network:
    """What all connections share: whether anything moves, and how often held answers were released."""

    def __init__(self) -> None:
        # Held around every socket call, none of which blocks: who holds it knows that nothing moves.
        self.changed = threading.Condition()
        self.is_frozen = False
        self.releases = 0

    def set_frozen(self, *, frozen: bool) -> None:
        with self.changed:
            self.is_frozen = frozen
            self.changed.notify_all()


class Control:
    """Lets one thread wait on sockets so that another can end or wake the wait."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._is_severed = False
        self._receiver, self._sender = socket.socketpair()
        self._receiver.settimeout(0)
        self._sender.settimeout(0)

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Around each socket call: not while the network is frozen, and never once severed."""
        with self.network.changed:
            self.network.changed.wait_for(lambda: self._is_severed or not self.network.is_frozen)
            if self._is_severed:
                raise Severed
            yield

    def wait(self, interests: Mapping[int, int], seconds: float | None = None) -> set[int]:
        """The descriptors that are ready; empty if time passed or someone called `wake`."""
        poller = select.poll()
        poller.register(self._receiver, select.POLLIN)
        for descriptor, events in interests.items():
            poller.register(descriptor, events)
        ready = {descriptor for descriptor, _ in poller.poll(None if seconds is None else seconds * 1000)}
        with self.moving(), suppress(BlockingIOError):
            self._receiver.recv(4096)
        return ready - {self._receiver.fileno()}

    def wake(self) -> None:
        # Under the lock: a descriptor closed meanwhile could already be another connection's.
        # A full pipe wakes as well; a closed one has nobody left to wake.
        with self.network.changed, suppress(OSError):
            self._sender.send(b"!")

    def sever(self) -> None:
        with self.network.changed:
            self._is_severed = True
            self.network.changed.notify_all()
            self.wake()

    def close(self) -> None:
        with self.network.changed:
            self._receiver.close()
            self._sender.close()
