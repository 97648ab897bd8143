"""Shows a person how the requests are getting on."""

from typing import TextIO

import msgspec

from controllers.requeststate.own_requests import Progress

# More lines than a terminal has cannot be redrawn in place.
_MOST_LINES = 20


class JsonProgress:
    """One JSON object a line for each transition."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def show(self, progress: Progress) -> None:
        content = {
            "name": progress.name,
            "job": progress.job,
            "state": progress.state,
            "complete": progress.is_complete,
            "failed": progress.is_failed,
            "elapsedSeconds": round(progress.elapsed_seconds, 3),
        }
        if progress.message:
            content["message"] = progress.message
        self._stream.write(msgspec.json.encode(content).decode() + "\n")
        self._stream.flush()


class TextProgress:
    """One line for each transition, or on a terminal one line for each request, kept up to date."""

    def __init__(self, stream: TextIO, requests: int) -> None:
        self._stream = stream
        self._redraws = stream.isatty() and requests <= _MOST_LINES
        self._lines: dict[str, str] = {}

    def show(self, progress: Progress) -> None:
        line = _line(progress)
        if not self._redraws:
            self._stream.write(line + "\n")
        else:
            up = f"\x1b[{len(self._lines)}F" if self._lines else ""
            self._lines[progress.name] = line
            self._stream.write(up + "".join(f"\x1b[2K{each}\n" for each in self._lines.values()))
        self._stream.flush()


def _line(progress: Progress) -> str:
    outcome = "  complete" if progress.is_complete else ""
    if progress.is_failed:
        outcome = f"  failed: {progress.message}"
    return f"{progress.name}  {progress.job:<12} {progress.state:<10} {progress.elapsed_seconds:6.1f}s{outcome}"
