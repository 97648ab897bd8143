"""What each action does to a body, without any socket."""

import re
from collections.abc import Iterator

import msgspec
import pytest

from framework.testing.relay import (
    Action,
    CutAfter,
    DropEvent,
    DuplicateEvent,
    EndCleanly,
    Fault,
    InjectEvent,
    Match,
    RelayError,
    Respond,
    RespondAfterApply,
    Stall,
    Trickle,
)
from framework.testing.relay import steps as steps_module
from framework.testing.relay.steps import Hold, Part, Pause, Sever, lines_of, steps_of


class Count:
    def __init__(self) -> None:
        self.fired = 0

    def __call__(self) -> None:
        self.fired += 1


def run(action: Action, *pieces: bytes) -> tuple[list[object], int]:
    """The steps, a Hold by its kind alone since it holds a closure; and how often the action fired."""
    count = Count()
    done: list[object] = []
    for step in steps_of(action, pieces, count):
        if isinstance(step, Hold):
            step.is_held()
        done.append(Hold if isinstance(step, Hold) else step)
    return done, count.fired


def test_lines_are_found_wherever_the_pieces_break() -> None:
    text = b"first\nsecond\n\nlast"

    for size in range(1, len(text) + 1):
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        assert list(lines_of(pieces)) == [b"first\n", b"second\n", b"\n", b"last"]


def test_a_line_without_end_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps_module, "LINE_LIMIT_BYTES", 10)

    def endless() -> Iterator[bytes]:
        while True:
            yield b"12345"

    with pytest.raises(RelayError, match="no watch stream"):
        list(lines_of(endless()))


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (CutAfter(bytes=0), [Sever(reset=True)]),
        (CutAfter(bytes=2), [Part(b"a\n", 2), Sever(reset=True)]),
        (CutAfter(bytes=3, reset=False), [Part(b"a\n", 2), Part(b"b", 4), Sever(reset=False)]),
        (CutAfter(events=0), [Sever(reset=True)]),
        (CutAfter(events=1), [b"a\n", Sever(reset=True)]),
        (CutAfter(events=1, extra_bytes=1), [b"a\n", Part(b"b", 2), Sever(reset=True)]),
        (Stall(after_bytes=3), [b"a\n", b"b", Hold, b"\nc\n"]),
        (Stall(after_events=2), [b"a\n", b"b\n", Hold, b"c\n"]),
        (InjectEvent(after_events=0, line=b"X"), [b"X\n", b"a\n", b"b\n", b"c\n"]),
        (InjectEvent(after_events=2, line=b"X\n", then_end=True), [b"a\n", b"b\n", b"X\n"]),
        (DropEvent(2), [b"a\n", b"c\n"]),
        (DuplicateEvent(3), [b"a\n", b"b\n", b"c\n", b"c\n"]),
        (EndCleanly(), []),
        (EndCleanly(2), [b"a\n", b"b\n"]),
    ],
)
def test_action_edits_the_body_and_fires_once(action: Action, expected: list[object]) -> None:
    steps, fired = run(action, b"a\n", b"b\nc\n")

    assert steps == expected
    assert fired == 1


@pytest.mark.parametrize(
    "action",
    [
        CutAfter(bytes=7),
        CutAfter(events=4),
        CutAfter(events=3, extra_bytes=1),
        Stall(after_bytes=7),
        Stall(after_events=4),
        InjectEvent(after_events=4, line=b"X"),
        DropEvent(4),
        DuplicateEvent(4),
        EndCleanly(4),
    ],
)
def test_action_beyond_the_end_changes_nothing_and_does_not_fire(action: Action) -> None:
    steps, fired = run(action, b"a\n", b"b\nc\n")

    sent = b"".join(step.data if isinstance(step, Part) else step for step in steps if isinstance(step, bytes | Part))
    assert sent == b"a\nb\nc\n"
    assert fired == 0


def test_trickle_pauses_after_every_write() -> None:
    steps, fired = run(Trickle(2, 0.5), b"abc")

    assert steps == [b"ab", Pause(0.5), b"c", Pause(0.5)]
    assert fired == 2


def test_faults_survive_being_saved() -> None:
    plan = [
        Fault(Match(method="GET", query={"watch": "true", "limit": None}), CutAfter(events=1, extra_bytes=3), nth=2),
        Fault(Match(path="/x$"), RespondAfterApply(Respond(504, body=b"\xff")), times=None),
    ]

    saved = msgspec.json.encode(plan)

    assert msgspec.json.decode(saved, type=list[Fault]) == plan


def test_a_cut_needs_one_place() -> None:
    for places in ({}, {"bytes": 1, "events": 1}, {"extra_bytes": 1}):
        with pytest.raises(msgspec.ValidationError, match="either bytes or events"):
            msgspec.convert(places, CutAfter)


def test_a_stall_needs_one_place() -> None:
    for places in ({}, {"after_bytes": 1, "after_events": 1}, {"before_headers": True, "after_bytes": 0}):
        with pytest.raises(msgspec.ValidationError, match="one of"):
            msgspec.convert(places, Stall)


def test_a_broken_pattern_is_refused_where_it_is_written() -> None:
    with pytest.raises(re.error):
        Match(path="(")
