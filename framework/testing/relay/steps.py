"""What an action does to the body of an answer, as steps for the connection to carry out."""

from collections.abc import Callable, Generator, Iterable, Iterator

import msgspec

from framework.testing.relay.errors import RelayError
from framework.testing.relay.fault import (
    Action,
    CutAfter,
    DropEvent,
    DuplicateEvent,
    EndCleanly,
    InjectEvent,
    Stall,
    Trickle,
    counts_events,
)

Fired = Callable[[], None]

LINE_LIMIT_BYTES = 16 * 1024 * 1024


class Part(msgspec.Struct, frozen=True):
    """Send *data* as the beginning of a piece of *whole* bytes."""

    data: bytes
    whole: int


class Hold(msgspec.Struct, frozen=True):
    """Send nothing more until a release that comes after *is_held* was called."""

    is_held: Fired


class Pause(msgspec.Struct, frozen=True):
    seconds: float


class Sever(msgspec.Struct, frozen=True):
    """End the connection to the client."""

    reset: bool


Step = bytes | Part | Hold | Pause | Sever


def steps_of(action: Action | None, pieces: Iterable[bytes], fired: Fired) -> Iterator[Step]:
    """The steps for a body that arrives as *pieces*; *fired* is called when the action has its effect.

    Steps that end before the pieces do end the body cleanly.
    """
    if counts_events(action):
        return _edited(action, lines_of(pieces), fired)
    match action:
        case CutAfter(bytes=int(count)):
            return _cut_after_bytes(count, iter(pieces), fired, reset=action.reset)
        case Stall(after_bytes=int(count)):
            return _stall_after_bytes(count, iter(pieces), fired)
        case Trickle():
            return _trickle(action, pieces, fired)
        case _:
            return iter(pieces)


def _edited(action: Action | None, lines: Iterator[bytes], fired: Fired) -> Iterator[Step]:
    match action:
        case CutAfter():
            return _cut_after_events(action, lines, fired)
        case Stall(after_events=int(count)):
            return _stall_after_events(count, lines, fired)
        case InjectEvent():
            return _inject(action, lines, fired)
        case EndCleanly(count):
            return _end_cleanly(count, lines, fired)
        case DropEvent(nth) | DuplicateEvent(nth):
            return _repeat(nth, 2 if isinstance(action, DuplicateEvent) else 0, lines, fired)
    return lines


def lines_of(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines with their ends; what follows the last end comes last."""
    rest = bytearray()
    for piece in pieces:
        searched = len(rest)
        rest += piece
        while (end := rest.find(b"\n", searched) + 1) > 0:
            yield bytes(rest[:end])
            del rest[:end]
            searched = 0
        if len(rest) > LINE_LIMIT_BYTES:
            raise RelayError(f"a line of more than {LINE_LIMIT_BYTES} bytes: no watch stream")
    if rest:
        yield bytes(rest)


def _first(count: int, lines: Iterator[bytes]) -> Generator[bytes, None, bool]:
    """Pass *count* lines; false if there were fewer."""
    for _ in range(count):
        line = next(lines, None)
        if line is None:
            return False
        yield line
    return True


def _cut_after_bytes(count: int, pieces: Iterator[bytes], fired: Fired, *, reset: bool) -> Iterator[Step]:
    passed = 0
    while passed < count:
        piece = next(pieces, None)
        if piece is None:
            return
        taken = piece[: count - passed]
        passed += len(taken)
        yield Part(taken, whole=len(piece))
    fired()
    yield Sever(reset=reset)


def _cut_after_events(action: CutAfter, lines: Iterator[bytes], fired: Fired) -> Iterator[Step]:
    if not (yield from _first(action.events or 0, lines)):
        return
    if action.extra_bytes:
        line = next(lines, None)
        if line is None:
            return
        yield Part(line[: action.extra_bytes], whole=len(line))
    fired()
    yield Sever(reset=action.reset)


def _stall_after_bytes(count: int, pieces: Iterator[bytes], fired: Fired) -> Iterator[Step]:
    passed, rest = 0, b""
    while passed < count:
        piece = next(pieces, None)
        if piece is None:
            return
        taken, rest = piece[: count - passed], piece[count - passed :]
        passed += len(taken)
        yield taken
    yield Hold(fired)
    if rest:
        yield rest
    yield from pieces


def _stall_after_events(count: int, lines: Iterator[bytes], fired: Fired) -> Iterator[Step]:
    if (yield from _first(count, lines)):
        yield Hold(fired)
        yield from lines


def _trickle(action: Trickle, pieces: Iterable[bytes], fired: Fired) -> Iterator[Step]:
    size = action.bytes_per_write
    for piece in pieces:
        for start in range(0, len(piece), size):
            yield piece[start : start + size]
            fired()
            yield Pause(action.interval_seconds)


def _inject(action: InjectEvent, lines: Iterator[bytes], fired: Fired) -> Iterator[Step]:
    if not (yield from _first(action.after_events, lines)):
        return
    yield action.line if action.line.endswith(b"\n") else action.line + b"\n"
    fired()
    if not action.then_end:
        yield from lines


def _end_cleanly(count: int, lines: Iterator[bytes], fired: Fired) -> Iterator[Step]:
    if (yield from _first(count, lines)):
        fired()


def _repeat(nth: int, times: int, lines: Iterator[bytes], fired: Fired) -> Iterator[Step]:
    if not (yield from _first(nth - 1, lines)):
        return
    line = next(lines, None)
    if line is None:
        return
    for _ in range(times):
        yield line
    fired()
    yield from lines
