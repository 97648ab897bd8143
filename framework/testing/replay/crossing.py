"""What happens on the wire of one process, as its plan wants it."""

import threading  # noqa: TID251 - called by the threads of a relay
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, Protocol

import msgspec

from apis.meta import Key
from framework.client import HttpRequest
from framework.testing.relay import Part, Pause, Respond, SeenRequest, Sever, Severed
from framework.testing.relay import Step as WireStep
from framework.testing.relay.interceptor import Pause as PauseFor
from framework.testing.replay.fast_time import FastClock
from framework.testing.simulation.broken_streams import BROKEN_BY, EXPIRED, half_of
from framework.testing.simulation.faults import is_at
from framework.testing.simulation.plan import Fault, Plan
from framework.testing.simulation.refusal import refusal_of
from framework.testing.simulation.trace import Step, Trace, kind_of

_OK = 200
# Who waits for an answer must have given up before the connection breaks.
_LONGER = 1.2


Act = Callable[[Fault, PauseFor], None]
_NOTES = {
    "time_out": "timed out, not done",
    "lose_answer": "answer lost",
    "delay": "delayed",
    "freeze": "watches are frozen",
}


class World(Protocol):
    """What a fault can do beyond the wire."""

    def crash(self, process: str, seconds: float) -> None:
        """Kill *process*, and start it again after *seconds*; when this returns, it runs no more."""

    def stand_still(self, process: str, wait: Callable[[], None]) -> None:
        """Nothing of *process* runs during *wait*."""

    def terminate(self, process: str, seconds: float) -> None:
        """Ask *process* to end, and start it again *seconds* after it has."""

    def sever(self, process: str, fault: Fault) -> None:
        """For a while *process* is refused, or gets nowhere; this returns before that begins."""

    def stir(self, request: str) -> None:
        """Somebody writes."""

    def act(self, fault: Fault) -> None:
        """As the user."""

    def was_there_before(self, plural: str, key: Key, /) -> bool:
        """Whether an object belongs to the server, not to the scenario."""

    def is_overtaken(self, plural: str, key: Key, version: int, /) -> bool:
        """Whether an object has changed since that version."""


class SharedTrace:
    """The trace of a run whose processes really run at the same time."""

    def __init__(self, clock: FastClock) -> None:
        self._clock = clock
        self._start = clock.monotonic()
        self._lock = threading.Lock()
        self.trace = Trace()

    @property
    def elapsed(self) -> float:
        return self._clock.monotonic() - self._start

    def request(self, process: str, request: SeenRequest) -> Step:
        query = "&".join(f"{name}={value}" for name, value in request.query.items())
        with self._lock:
            return self.trace.request(process, HttpRequest(request.method, f"{request.path}?{query}"), self.elapsed)

    def event(self, of: Step, event: dict[str, Any]) -> Step:
        with self._lock:
            return self.trace.event(of, self.elapsed, event)

    def note(self, process: str, note: str) -> None:
        with self._lock:
            self.trace.note(process, self.elapsed, note)


class Crossing:
    """The Interceptor of the relay in front of one process, for all of its lives."""

    def __init__(self, process: str, plan: Plan, *, world: World, trace: SharedTrace, clock: FastClock) -> None:
        self._process = process
        self._world = world
        self._trace = trace
        self._clock = clock
        self._faults = [fault for fault in plan.faults if fault.process == process]
        self._frozen_until = 0.0
        self._lock = threading.Lock()
        # By the number of the request; those under way.
        self._steps: dict[int, Step] = {}
        self._open_watches: list[str] = []
        # Faults that last, and until when.
        self._refusals: list[tuple[Fault, float]] = []
        self._before: Mapping[str, Act] = {
            "crash_before": self._crash,
            "time_out": self._never_answer,
            "delay": self._delay,
            "freeze": self._freeze,
            "refuse": self._refuse,
            "stand_still": self._stand_still,
            "terminate": self._terminate,
            "cut": self._cut,
            "partition": self._cut,
            **dict.fromkeys(("delete", "recreate", "delete_lease", "take_lease"), self._act),
        }
        self._after: Mapping[str, Act] = {"crash_after": self._crash, "lose_answer": self._never_answer}

    @property
    def open_watches(self) -> list[str]:
        with self._lock:
            return list(self._open_watches)

    def before(self, request: SeenRequest, pause: PauseFor) -> Respond | None:
        step = self._steps[request.number] = self._trace.request(self._process, request)
        if kind_of(step.request) == "write":
            self._world.stir(step.request)
        for fault in self._faults:
            if is_at(fault, step):
                answer = self._do_before(fault, step, pause)
                if answer is not None:
                    step.status = answer.status
                    return answer
        refusal = self._refused(request, pause)
        if refusal is not None:
            step.status = refusal.status
        return refusal

    def after(self, request: SeenRequest, status: int, pause: PauseFor) -> None:
        step = self._steps.pop(request.number)
        step.status = status
        for fault in self._faults:
            if is_at(fault, step):
                self._do_after(fault, step, pause)

    def edit(self, request: SeenRequest, status: int, lines: Iterator[bytes]) -> Iterator[WireStep] | None:
        if status != _OK or request.query.get("watch") != "true":
            return None
        # Counted over all streams of the path, so the number of the request says nothing.
        return self._events(Step(self._process, f"WATCH {request.path}", 0, self._trace.elapsed), lines)

    def _do_before(self, fault: Fault, step: Step, pause: PauseFor) -> Respond | None:
        if fault.do == "answer":
            step.note = f"answered {fault.code}"
            return _refusal(fault)
        deed = self._before.get(fault.do)
        if deed is not None:
            step.note = _NOTES.get(fault.do, f"{fault.do} {fault.object}".strip())
            deed(fault, pause)
        return None

    def _do_after(self, fault: Fault, step: Step, pause: PauseFor) -> None:
        deed = self._after.get(fault.do)
        if deed is not None:
            step.note = _NOTES.get(fault.do, fault.do)
            deed(fault, pause)

    def _refused(self, request: SeenRequest, pause: PauseFor) -> Respond | None:
        now = self._clock.monotonic()
        fault = next(
            (each for each, until in self._refusals if now < until and request.path.startswith(each.object)), None
        )
        if fault is None:
            return None
        if not fault.code:
            self._never_answer(fault, pause)
        return _refusal(msgspec.structs.replace(fault, seconds=0.0))

    def _act(self, fault: Fault, _pause: PauseFor) -> None:
        self._world.act(fault)

    def _delay(self, fault: Fault, pause: PauseFor) -> None:
        pause(self._really(fault.seconds))

    def _freeze(self, fault: Fault, _pause: PauseFor) -> None:
        self._frozen_until = self._clock.monotonic() + fault.seconds

    def _refuse(self, fault: Fault, _pause: PauseFor) -> None:
        self._refusals.append((fault, self._clock.monotonic() + fault.seconds))

    def _stand_still(self, fault: Fault, pause: PauseFor) -> None:
        """What it has sent arrives when it goes on."""
        self._world.stand_still(self._process, lambda: pause(self._really(fault.seconds)))

    def _terminate(self, fault: Fault, _pause: PauseFor) -> None:
        self._world.terminate(self._process, fault.seconds)

    def _cut(self, fault: Fault, pause: PauseFor) -> None:
        self._world.sever(self._process, fault)
        self._never_answer(fault, pause)

    def _crash(self, fault: Fault, _pause: PauseFor) -> None:
        self._world.crash(self._process, fault.seconds)
        raise Severed

    def _never_answer(self, fault: Fault, pause: PauseFor) -> None:
        pause(self._really(fault.seconds) * _LONGER)
        raise Severed

    def _really(self, seconds: float) -> float:
        return seconds / self._clock.speed

    def _events(self, watch: Step, lines: Iterator[bytes]) -> Iterator[WireStep]:
        with self._lock:
            self._open_watches.append(watch.request)
        try:
            for line in lines:
                if not (yield from self._delivered(watch, line)):
                    return
        finally:
            with self._lock:
                self._open_watches.remove(watch.request)

    def _delivered(self, watch: Step, line: bytes) -> Generator[WireStep, None, bool]:
        """Whether the stream goes on."""
        while (left := self._frozen_until - self._clock.monotonic()) > 0:
            yield Pause(self._really(left))
        event = msgspec.json.decode(line)
        if event.get("type") in ("BOOKMARK", "ERROR") or self._world.was_there_before(*_place_of(watch, event)):
            yield line
            return True
        seen = self._trace.event(watch, event)
        faults = [fault for fault in self._faults if fault.event == seen.event and fault.request == seen.request]
        for fault in faults:
            seen.note += f", {fault.do}"
            if fault.do in BROKEN_BY:
                yield from _broken(fault, line)
                return False
            if (yield from self._is_kept_back(fault, watch, event)):
                return True
            if fault.do == "duplicate_event":
                yield line
        yield line
        for fault in faults:
            if fault.do == "crash_after":
                self._world.crash(self._process, fault.seconds)
        return True

    def _is_kept_back(self, fault: Fault, watch: Step, event: dict[str, Any]) -> Generator[WireStep, None, bool]:
        if fault.do == "reset":
            yield Sever(reset=True)
        if fault.do in ("hold_event", "skip_event"):
            yield Pause(self._really(fault.seconds))
        return fault.do == "skip_event" and self._is_overtaken(watch, event)

    def _is_overtaken(self, watch: Step, event: dict[str, Any]) -> bool:
        return self._world.is_overtaken(*_place_of(watch, event), int(event["object"]["metadata"]["resourceVersion"]))


def _broken(fault: Fault, line: bytes) -> Iterator[WireStep]:
    if fault.do == "half_event":
        yield Part(half_of(line), whole=len(line))
        yield Sever(reset=True)
    elif fault.do == "expire_watch":
        yield EXPIRED


def _place_of(watch: Step, event: dict[str, Any]) -> tuple[str, Key]:
    metadata = event["object"]["metadata"]
    return watch.request.rpartition("/")[2], Key(metadata.get("namespace", ""), metadata["name"])


def _refusal(fault: Fault) -> Respond:
    # What it says of seconds is in the time of the process, which reads it.
    headers, body = refusal_of(fault)
    return Respond(fault.code, body=body, headers=headers)
