"""The record of every request, and waiting for what it will hold."""

import threading  # noqa: TID251 - the relay is outside the seams: it plays the network
import time
from collections.abc import Callable
from typing import TypeVar

import msgspec

from framework.testing.relay.errors import RelayError
from framework.testing.relay.request import SeenRequest, split_target

Found = TypeVar("Found")

LIMIT_BYTES = 64 * 1024 * 1024
# What a record costs besides its body.
_OVERHEAD_BYTES = 4096


class Journal:
    """Remembers requests in order of arrival, and the first failure of the relay."""

    def __init__(self, limit_bytes: int = LIMIT_BYTES) -> None:
        self._changed = threading.Condition()
        self._limit_bytes = limit_bytes
        self._bytes = 0
        self._next_number = 1
        self._requests: dict[int, SeenRequest] = {}
        self._failure: RelayError | None = None

    def record(self, method: str, target: str, headers: dict[str, str], body: bytes) -> SeenRequest:
        path, query = split_target(target)
        with self._changed:
            request = SeenRequest(
                number=self._next_number,
                method=method,
                path=path,
                query=query,
                headers=headers,
                body=body,
                time=time.monotonic(),  # noqa: TID251 - the relay is outside the seams: it plays the network
            )
            self._next_number += 1
            self._requests[request.number] = request
            self._bytes += _cost(request)
            self._forget_oldest()
            self._changed.notify_all()
        return request

    def answered(self, number: int, status: int) -> None:
        self._update(number, status=status)

    def upstream_answered(self, number: int, status: int) -> None:
        self._update(number, upstream_status=status)

    def fail(self, failure: RelayError) -> None:
        with self._changed:
            self._failure = self._failure or failure
            self._changed.notify_all()

    def take_failure(self) -> RelayError | None:
        with self._changed:
            failure, self._failure = self._failure, None
            return failure

    def requests(self) -> list[SeenRequest]:
        with self._changed:
            return list(self._requests.values())

    def tell(self, change: Callable[[], None]) -> None:
        """Make *change* and let everyone who waits look again."""
        with self._changed:
            change()
            self._changed.notify_all()

    def wait_until(self, look: Callable[[], Found | None], limit: float, what: str) -> Found:
        """The first thing other than None that *look* finds; RelayError as soon as the relay has failed."""
        with self._changed:
            self._changed.wait_for(lambda: self._failure is not None or look() is not None, limit)
            if self._failure is not None:
                raise self._failure
            found = look()
            if found is None:
                raise TimeoutError(f"{what} within {limit} s; seen: {self._summary()}")
            return found

    def first(self, predicate: Callable[[SeenRequest], bool]) -> SeenRequest | None:
        with self._changed:
            return next(filter(predicate, self._requests.values()), None)

    def _update(self, number: int, **fields: int) -> None:
        with self._changed:
            # It may have been forgotten meanwhile.
            if number in self._requests:
                self._requests[number] = msgspec.structs.replace(self._requests[number], **fields)
                self._changed.notify_all()

    def _forget_oldest(self) -> None:
        while self._bytes > self._limit_bytes and len(self._requests) > 1:
            oldest = next(iter(self._requests))
            self._bytes -= _cost(self._requests.pop(oldest))

    def _summary(self) -> str:
        newest = list(self._requests.values())[-10:]
        return ", ".join(f"{one.method} {one.path} -> {one.status}" for one in newest) or "nothing"


def _cost(request: SeenRequest) -> int:
    return len(request.body) + _OVERHEAD_BYTES
