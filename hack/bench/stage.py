"""The side of a contestant: what it has reached, and what that has cost this process.

Only the standard library: a peer's process must not load our dependencies.
"""

import json
import os
import resource
import sys
import threading  # noqa: TID251 - a peer's process does not load our seams
import time
from pathlib import Path

_KIB_LINES = {"VmRSS": "rss_kib", "VmHWM": "peak_kib"}


class Stage:
    """Speaks JSON lines with the bench on the stdout and stdin that the process was born with."""

    def __init__(self, *, objects: int, events: int = 0) -> None:
        self._milestones = {objects + events: "ingested", objects: "synced"}
        self._seen = 0
        self._out = os.dup(1)
        # What a library prints is log, not protocol.
        os.dup2(2, 1)
        self._go = threading.Event()
        # Bytes of the cached objects themselves, by those who keep bytes.
        self.raw_bytes = 0

    def ready(self, note: str = "") -> None:
        """Everything is imported and configured; wait for the bench to say go, and begin to count from there."""
        self.report("ready", note)
        threading.Thread(target=self._listen, daemon=True).start()
        self._go.wait()
        self.report("started")

    def count(self, seen: int = 1) -> None:
        """Called by one thread, for each object and then for each event."""
        self._seen += seen
        if self._seen in self._milestones:
            self.report(self._milestones[self._seen])

    def report(self, stage: str, note: str = "") -> None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        figures = {
            "stage": stage,
            "cpu_seconds": used.ru_utime + used.ru_stime,
            "wall_seconds": time.monotonic(),  # noqa: TID251 - as above; the same clock in every process
            "raw_bytes": self.raw_bytes,
            "note": note,
            **_memory(),
        }
        os.write(self._out, json.dumps(figures).encode() + b"\n")

    def wait_for_the_end(self) -> None:
        """Leave the work to the other threads; the end of stdin ends the process."""
        threading.Event().wait()

    def _listen(self) -> None:
        for line in sys.stdin:
            if line.strip() == "go":
                self._go.set()
            else:
                self.report(line.strip())
        # The bench is through with us, or gone.
        os._exit(0)


def _memory() -> dict[str, int]:
    lines = (line.split() for line in Path("/proc/self/status").read_text().splitlines())
    return {_KIB_LINES[words[0][:-1]]: int(words[1]) for words in lines if words and words[0][:-1] in _KIB_LINES}
