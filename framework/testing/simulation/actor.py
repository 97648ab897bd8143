"""Does what acts say, and says as acts what a user has done."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from framework.client import HttpRequest, HttpResponse, Transport
from framework.clock import Clock
from framework.testing.simulation.acts import Act
from framework.testing.simulation.quiet import Quiet
from framework.testing.simulation.trace import Step

_CONFLICT = 409
_POLL_SECONDS = 0.5
_JSON = "Content-Type: application/json"
_MERGE = "Content-Type: application/merge-patch+json"


class Actor:
    """The user, if what he does was drawn."""

    def __init__(self, transport: Transport, quiet: Quiet, clock: Clock, limit_seconds: float) -> None:
        self._transport = transport
        self._quiet = quiet
        self._clock = clock
        self._limit_seconds = limit_seconds

    def play(self, acts: Sequence[Act]) -> None:
        for act in acts:
            if act.do == "wait":
                self._quiet.wait()
            elif act.do == "create":
                self._create(act)
            elif act.do == "edit":
                self._send("PATCH", act.path, act.body, _MERGE)
            else:
                self._send("DELETE", act.path, None, _JSON)

    def _create(self, act: Act) -> None:
        end = self._clock.monotonic() + self._limit_seconds
        collection = act.path.rpartition("/")[0]
        while self._send("POST", collection, act.body, _JSON).status == _CONFLICT and self._clock.monotonic() < end:
            self._clock.wait(_POLL_SECONDS)

    def _send(self, method: str, target: str, body: Any, content: str) -> HttpResponse:
        raw = None if body is None else msgspec.json.encode(body)
        return self._transport.exchange(HttpRequest(method, target, (content, "Accept: application/json"), raw))


def acts_of(steps: Sequence[Step]) -> Iterator[Act]:
    """What the user of a run has done to objects; what cannot be said as an act is left out."""
    for step in steps:
        if not step.body or not step.is_effective:
            continue
        method, _, path = step.request.partition(" ")
        if method == "POST" and step.created:
            yield Act("create", step.created, step.body)
        elif method == "PATCH":
            yield Act("edit", path, step.body)
