"""Faults as data: which requests, and what happens to them. A plan can be saved and replayed."""

import re
from collections.abc import Mapping

import msgspec

from framework.testing.relay.request import SeenRequest


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """Which requests; what is left out fits every request."""

    method: str = ""
    path: str = ""
    """A regular expression, searched in the path without its query."""
    query: Mapping[str, str | None] = {}
    """Parameters with their values; None: the parameter must be absent."""
    body: str = ""
    """A regular expression, searched in what was sent."""

    def __post_init__(self) -> None:
        re.compile(self.path)
        re.compile(self.body)

    def fits(self, request: SeenRequest) -> bool:
        return (
            self.method in ("", request.method)
            and re.search(self.path, request.path) is not None
            and all(request.query.get(name) == value for name, value in self.query.items())
            and re.search(self.body, request.body.decode(errors="replace")) is not None
        )


class Respond(msgspec.Struct, frozen=True, tag=True):
    """The relay answers by itself; without *body* it sends the Status that *reason* and *message* make."""

    status: int
    reason: str = ""
    message: str = ""
    body: bytes | None = None
    headers: Mapping[str, str] = {}
    close: bool = False


class RespondAfterApply(msgspec.Struct, frozen=True, tag=True):
    """The server does what was asked; its answer is replaced by *answer*, or by a reset."""

    answer: Respond | None = None


class ResetBefore(msgspec.Struct, frozen=True, tag=True):
    """Reset, and the server never hears of the request."""


class CutAfter(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """End the connection after *bytes* of the body, or after *events* whole lines and *extra_bytes* of the next."""

    bytes: int | None = None
    events: int | None = None
    extra_bytes: int = 0
    reset: bool = True
    """A reset; otherwise the connection is closed as if it were done."""

    def __post_init__(self) -> None:
        if (self.bytes is None) == (self.events is None):
            raise ValueError("CutAfter takes either bytes or events")


class Stall(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Fall silent, connection open, until `Relay.release`: before the head of the answer, or inside its body."""

    before_headers: bool = False
    after_bytes: int | None = None
    after_events: int | None = None

    def __post_init__(self) -> None:
        if [self.before_headers, self.after_bytes is not None, self.after_events is not None].count(True) != 1:
            raise ValueError("Stall takes one of before_headers, after_bytes and after_events")


class Trickle(msgspec.Struct, frozen=True, tag=True):
    """Send the body in small pieces with a pause after each."""

    bytes_per_write: int
    interval_seconds: float

    def __post_init__(self) -> None:
        if self.bytes_per_write < 1:
            raise ValueError("Trickle must write at least one byte at a time")


class InjectEvent(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Put *line* into the stream after so many events, and perhaps end the stream there."""

    after_events: int
    line: bytes
    then_end: bool = False


class DropEvent(msgspec.Struct, frozen=True, tag=True):
    """Hide the nth event, counted from one."""

    nth: int


class DuplicateEvent(msgspec.Struct, frozen=True, tag=True):
    """Send the nth event, counted from one, twice."""

    nth: int


class EndCleanly(msgspec.Struct, frozen=True, tag=True):
    """End the stream after so many events, as a server does whose timeout has come."""

    after_events: int = 0


class RewriteQuery(msgspec.Struct, frozen=True, tag=True):
    """Ask the server with other parameters; None removes one."""

    parameters: Mapping[str, str | None]


Action = (
    Respond
    | RespondAfterApply
    | ResetBefore
    | CutAfter
    | Stall
    | Trickle
    | InjectEvent
    | DropEvent
    | DuplicateEvent
    | EndCleanly
    | RewriteQuery
)


class Fault(msgspec.Struct, frozen=True):
    """*action* on the *nth* fitting request and those after it, *times* in all (None: always)."""

    match: Match
    action: Action
    nth: int = 1
    times: int | None = 1


def counts_events(action: Action | None) -> bool:
    """Whether *action* must read the body line by line."""
    match action:
        case InjectEvent() | DropEvent() | DuplicateEvent() | EndCleanly():
            return True
        case CutAfter(events=int()) | Stall(after_events=int()):
            return True
        case _:
            return False
