"""The network between a process and its server, with a plan of what goes wrong on it."""

from collections.abc import Callable
from typing import Any, Protocol
from urllib.parse import parse_qs

import msgspec

from framework.apiserver.transport import InProcessTransport
from framework.client import Cancellation, HttpRequest, HttpResponse
from framework.errors import ConnectError, TimedOut, TransportError
from framework.testing.simulation.bounds import Bounds
from framework.testing.simulation.broken_streams import BROKEN_BY, StreamEnds, break_stream
from framework.testing.simulation.plan import USER, Fault, Plan
from framework.testing.simulation.refusal import refusal_of
from framework.testing.simulation.runtime import SimulatedClock
from framework.testing.simulation.scheduler import Life, Scheduler, Stuck
from framework.testing.simulation.shown import Shown
from framework.testing.simulation.surroundings import Powers, Surroundings
from framework.testing.simulation.trace import Step, Trace, kind_of

_OK, _FIRST_NOT_OK = 200, 300
_EXPIRED = 410


class World(Powers, Protocol):
    """What a fault can do beyond the network."""

    def stir(self, request: str) -> None:
        """Somebody writes."""

    def note_token(self, token: str) -> None:
        """The server has given one to somebody."""

    def note_user_write(self) -> None:
        """The newest revision is the user's."""

    def await_recovery(self, seconds: float) -> None:
        """Nothing is quiet until a process that was away for *seconds* has had the time to catch up."""

    def is_overtaken(self, path: str, event: dict[str, Any]) -> bool:
        """Whether the object of *event* has changed since."""


class FaultyTransport:
    """The Transport of one life of one process."""

    def __init__(
        self,
        inner: InProcessTransport,
        process: str,
        life: Life,
        *,
        surroundings: Surroundings,
        world: World,
        plan: Plan,
        trace: Trace,
        scheduler: Scheduler,
        clock: SimulatedClock,
        bounds: Bounds,
        shown: Shown,
    ) -> None:
        self._inner = inner
        self._process = process
        self._life = life
        self._surroundings = surroundings
        self._world = world
        self._trace = trace
        self._scheduler = scheduler
        self._clock = clock
        self.bounds = bounds
        self._faults = [fault for fault in plan.faults if fault.process == process]
        self._frozen_until = 0.0
        self._cut_off_until = 0.0
        # Watches that cannot be resumed.
        self._forgotten: set[str] = set()
        # By path: the watches that are open now.
        self.open_watches: list[str] = []
        self.shown = shown

    def exchange(
        self,
        request: HttpRequest,
        *,
        on_chunk: Callable[[bytes], None] | None = None,
        cancellation: Cancellation | None = None,
    ) -> HttpResponse:
        self._scheduler.pause()
        if self._life.is_over:
            raise Stuck(f"{self._life.name} has crashed, and sends {request.method} {request.target}")
        step = self._trace.request(self._process, request, self._scheduler.elapsed, self._surroundings.cluster)
        step.life = self._life.name
        if self._is_cut_off:
            step.note = "cut off"
            raise ConnectError("the server cannot be reached")
        if self._must_begin_anew(step, request):
            step.status = _EXPIRED
            return HttpResponse(_EXPIRED, *refusal_of(Fault("answer", step.request, code=_EXPIRED)))
        if kind_of(step.request) == "write":
            self._world.stir(step.request)
        faults = [fault for fault in self._faults if is_at(fault, step)]
        for fault in faults:
            answer = self._before(fault, step)
            if answer is not None:
                step.status = answer.status
                return answer
        if (refusal := self._surroundings.hold_up(request, step)) is not None:
            return HttpResponse(refusal.code, *refusal_of(refusal))
        answer = self._send(request, step, on_chunk, cancellation)
        for fault in faults:
            self._after(fault, step)
        if answer.body and answer.status < _FIRST_NOT_OK:
            self.shown.answer(answer.body)
        self._scheduler.pause()
        return answer

    def close(self) -> None:
        self._inner.close()

    def _send(
        self,
        request: HttpRequest,
        step: Step,
        on_chunk: Callable[[bytes], None] | None,
        cancellation: Cancellation | None,
    ) -> HttpResponse:
        before = self._surroundings.before()
        if kind_of(step.request) != "watch" or on_chunk is None:
            answer = self._inner.exchange(request, on_chunk=on_chunk, cancellation=cancellation)
            self._surroundings.note_answer(step, before)
            step.status = answer.status
            if self._process == USER and step.is_effective and not self._surroundings.cluster:
                self._note_user_write(step, request, answer)
            if answer.status < _FIRST_NOT_OK and step.request.startswith("POST ") and step.request.endswith("/token"):
                self._world.note_token(msgspec.json.decode(answer.body)["status"]["token"])
            return answer
        stream = _Stream(self, step, on_chunk)
        try:
            answer = self._inner.exchange(request, on_chunk=stream.take, cancellation=cancellation)
        except StreamEnds:
            answer = HttpResponse(_OK, {})
        finally:
            stream.close()
        step.status = answer.status
        return answer

    def _note_user_write(self, step: Step, request: HttpRequest, answer: HttpResponse) -> None:
        self._world.note_user_write()
        if request.body and not any("apply-patch" in header or "json-patch" in header for header in request.headers):
            step.body = msgspec.json.decode(request.body)
        method, _, path = step.request.partition(" ")
        if method == "POST":
            step.created = f"{path}/{msgspec.json.decode(answer.body)['metadata']['name']}"

    def _before(self, fault: Fault, step: Step) -> HttpResponse | None:
        if fault.do == "crash_before":
            self._crash(fault, step)
        elif fault.do == "answer":
            step.note = f"answered {fault.code}"
            return HttpResponse(fault.code, *refusal_of(fault))
        elif fault.do == "time_out":
            step.note = "timed out, not done"
            self._clock.wait(fault.seconds)
            raise TimedOut("the answer did not come in time")
        elif fault.do == "delay":
            step.note = "delayed"
            self._clock.wait(fault.seconds)
        elif fault.do == "freeze":
            step.note = "watches are frozen"
            self._frozen_until = self._scheduler.elapsed + fault.seconds
        elif fault.do == "jump":
            step.note = f"the clock jumps by {fault.seconds:g} s"
            self._clock.offset_seconds += fault.seconds
        elif fault.do not in ("crash_after", "lose_answer"):
            self._surroundings.disturb(fault, step)
        return None

    def _after(self, fault: Fault, step: Step) -> None:
        if fault.do == "crash_after":
            self._crash(fault, step)
        elif fault.do == "lose_answer":
            step.note = "answer lost"
            self._clock.wait(fault.seconds)
            raise TimedOut("the answer did not come in time")

    def _crash(self, fault: Fault, step: Step) -> None:
        step.note = fault.do
        self._world.crash(self._process, fault.seconds)

    @property
    def _is_cut_off(self) -> bool:
        return self._scheduler.elapsed < self._cut_off_until

    def _must_begin_anew(self, step: Step, request: HttpRequest) -> bool:
        if step.request not in self._forgotten:
            return False
        query = parse_qs(request.target.partition("?")[2])
        if "resourceVersion" in query and "sendInitialEvents" not in query:
            return True
        # From whatever there is now.
        self._forgotten.remove(step.request)
        return False

    def _cut_off(self, seconds: float) -> None:
        self._cut_off_until = self._scheduler.elapsed + seconds
        self._forgotten.update(self.open_watches)
        self._world.await_recovery(seconds)

    def deliver(self, step: Step, line: bytes, on_chunk: Callable[[bytes], None]) -> None:
        """One event of a watch, as the plan wants it."""
        self._clock.wait(self._frozen_until - self._scheduler.elapsed)
        self._clock.wait(self._surroundings.silence)
        if self._is_cut_off:
            raise TransportError("the connection was reset by the peer")
        event = msgspec.json.decode(line)
        if event.get("type") == "BOOKMARK":
            on_chunk(line)
            return
        seen = self._trace.event(step, self._scheduler.elapsed, event)
        faults = [fault for fault in self._faults if fault.event == seen.event and fault.request == seen.request]
        for fault in faults:
            seen.note += f", {fault.do}"
            if fault.do in BROKEN_BY:
                break_stream(fault.do, line, on_chunk)
            if self._is_kept_back(fault, step, event):
                return
            if fault.do == "duplicate_event":
                on_chunk(line)
        self.shown.event(line)
        on_chunk(line)
        for fault in faults:
            self._surroundings.disturb_after(fault, seen)

    def _is_kept_back(self, fault: Fault, step: Step, event: dict[str, Any]) -> bool:
        if fault.do == "cut_off":
            self._cut_off(fault.seconds)
        if fault.do in ("reset", "cut_off"):
            raise TransportError("the connection was reset by the peer")
        if fault.do not in ("hold_event", "skip_event"):
            return False
        self._clock.wait(fault.seconds)
        return fault.do == "skip_event" and self._world.is_overtaken(step.request.partition(" ")[2], event)


class _Stream:
    """One open watch: cuts what comes into events."""

    def __init__(self, transport: FaultyTransport, step: Step, on_chunk: Callable[[bytes], None]) -> None:
        self._transport = transport
        self._step = step
        self._on_chunk = on_chunk
        self._has_begun = False

    def take(self, chunk: bytes) -> None:
        if not self._has_begun:
            self._has_begun = True
            self._transport.open_watches.append(self._step.request)
            self._transport.bounds.watching(self._transport.open_watches)
        if not chunk:
            self._on_chunk(chunk)
            return
        for line in chunk.splitlines(keepends=True):
            self._transport.deliver(self._step, line, self._on_chunk)

    def close(self) -> None:
        if self._has_begun:
            self._transport.open_watches.remove(self._step.request)


def is_at(fault: Fault, step: Step) -> bool:
    return not fault.event and fault.request == step.request and fault.nth == step.nth
