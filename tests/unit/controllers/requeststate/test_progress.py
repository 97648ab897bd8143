import io
import json

from controllers.requeststate.own_requests import Progress
from controllers.requeststate.progress import JsonProgress, TextProgress

STARTED = Progress("one", "JOB1", "STARTED", 0.25)
COMPLETE = Progress("one", "JOB2", "COMPLETED", 4.0, is_complete=True)
FAILED = Progress("one", "JOB1", "FAILED", 1.0, is_failed=True, message="no luck")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_json_progress_is_one_object_a_line() -> None:
    stream = io.StringIO()
    progress = JsonProgress(stream)

    progress.show(STARTED)
    progress.show(FAILED)

    first, second = map(json.loads, stream.getvalue().splitlines())
    assert first == {
        "name": "one",
        "job": "JOB1",
        "state": "STARTED",
        "complete": False,
        "failed": False,
        "elapsedSeconds": 0.25,
    }
    assert (second["failed"], second["message"]) == (True, "no luck")


def test_text_progress_is_one_line_a_transition_when_nobody_looks() -> None:
    stream = io.StringIO()
    progress = TextProgress(stream, 1)

    for each in (STARTED, COMPLETE, FAILED):
        progress.show(each)

    started, complete, failed = stream.getvalue().splitlines()
    assert started.split() == ["one", "JOB1", "STARTED", "0.2s"]
    assert complete.endswith("  complete")
    assert failed.endswith("  failed: no luck")


def test_text_progress_keeps_one_line_a_request_on_a_terminal() -> None:
    terminal = Terminal()
    progress = TextProgress(terminal, 2)

    progress.show(STARTED)
    progress.show(Progress("two", "JOB1", "STARTED", 0.5))
    progress.show(COMPLETE)

    last = terminal.getvalue().split("\x1b[2F")[-1]
    lines = [line.removeprefix("\x1b[2K") for line in last.splitlines()]
    assert [line.split()[:2] for line in lines] == [["one", "JOB2"], ["two", "JOB1"]]


def test_more_requests_than_a_terminal_has_lines_are_not_redrawn() -> None:
    terminal = Terminal()

    TextProgress(terminal, 1000).show(STARTED)

    assert "\x1b" not in terminal.getvalue()
