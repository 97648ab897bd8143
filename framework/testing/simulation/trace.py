"""What happened, in order: the requests of every process, their answers, and the events that came."""

from collections import Counter
from functools import lru_cache
from typing import Any, Literal

import msgspec

from framework.client import HttpRequest


class Step(msgspec.Struct):
    """One request, or one event of a watch."""

    process: str
    request: str
    nth: int
    elapsed: float
    # 0 while there is no answer.
    status: int = 0
    # Whether the server has changed something.
    is_effective: bool = False
    # Whether a webhook was asked meanwhile.
    is_reviewed: bool = False
    event: int = 0
    note: str = ""
    # The path of what a create of the user has made.
    created: str = ""
    # Of an event: which object, as `namespace/name`.
    object: str = ""
    # Of an event, its version; of a request, that of the store when it was answered.
    revision: int = 0
    # When the server gave its answer, which may have come later or never.
    answered: float = 0.0
    # Which life of the process.
    life: str = ""
    # What the user has sent, if it is an object or a merge patch.
    body: dict[str, Any] | None = None

    def __str__(self) -> str:
        parts = [f"{self.elapsed:10.4f}", self.process, self.request, f"#{self.nth}"]
        if self.event:
            parts.append(f"event {self.event}")
        if self.status:
            parts.append(f"-> {self.status}{' changed' if self.is_effective else ''}")
        if self.note:
            parts.append(f"[{self.note}]")
        return " ".join(parts)


class Trace:
    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._requests: Counter[tuple[str, str]] = Counter()
        self._events: Counter[tuple[str, str]] = Counter()

    def request(self, process: str, request: HttpRequest, elapsed: float, cluster: str = "") -> Step:
        name = name_of(request, cluster)
        self._requests[process, name] += 1
        return self._add(Step(process, name, self._requests[process, name], elapsed))

    def event(self, of: Step, elapsed: float, event: dict[str, Any]) -> Step:
        self._events[of.process, of.request] += 1
        number = self._events[of.process, of.request]
        metadata = event.get("object", {}).get("metadata", {})
        version, name = metadata.get("resourceVersion", ""), metadata.get("name", "")
        step = Step(of.process, of.request, of.nth, elapsed, event=number, note=f"{event.get('type')} {name}@{version}")
        step.object, step.revision = f"{metadata.get('namespace', '')}/{name}", int(version or 0)
        return self._add(step)

    def revision_of(self, process: str, request: str, event: int) -> int:
        """Of the event with that number."""
        steps = (step for step in self.steps if step.event == event and step.request == request)
        return next((step.revision for step in steps if step.process == process), 0)

    def note(self, process: str, elapsed: float, note: str) -> None:
        self._add(Step(process, "-", 0, elapsed, note=note))

    def __str__(self) -> str:
        return "\n".join(map(str, self.steps))

    def _add(self, step: Step) -> Step:
        self.steps.append(step)
        return step


Kind = Literal["read", "watch", "write"]


def name_of(request: HttpRequest, cluster: str = "") -> str:
    """`PATCH /api/v1/…`, or in a remote cluster `PATCH paris:/api/v1/…`.

    A watch has a word of its own, and what is asked for beyond the path does not count.
    """
    path, _, query = request.target.partition("?")
    method = "WATCH" if is_watch(request.method, query) else request.method
    return f"{method} {cluster}:{path}" if cluster else f"{method} {path}"


def cluster_of(name: str) -> str:
    """Of a request or a path; empty for the cluster of the process itself."""
    place = name.rpartition(" ")[2]
    return "" if place.startswith("/") else place.partition(":")[0]


def is_watch(method: str, query: str) -> bool:
    return method == "GET" and "watch=true" in query.split("&")


@lru_cache(1024)
def kind_of(name: str) -> Kind:
    method = name.partition(" ")[0]
    return "watch" if method == "WATCH" else "read" if method == "GET" else "write"
