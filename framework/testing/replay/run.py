"""One run for real: processes behind relays, a user, a witness, and a plan of what goes wrong."""

import json
import threading  # noqa: TID251 - what is replayed really runs at the same time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from apis.meta import Key
from framework.errors import WindlassError
from framework.testing.control_plane.waiting import wait_until
from framework.testing.relay import Relay
from framework.testing.replay.birth import Birth
from framework.testing.replay.crossing import Crossing, SharedTrace
from framework.testing.replay.fast_time import FastClock
from framework.testing.replay.leases import LOSSES, lose_lease
from framework.testing.replay.life import VIOLATION
from framework.testing.replay.processes import Processes
from framework.testing.replay.stage import Stage
from framework.testing.replay.witness import Witness
from framework.testing.simulation.outcome import Outcome, Violation
from framework.testing.simulation.plan import QUIET, Fault, Plan
from framework.testing.simulation.quiet import Quiet, counts
from framework.testing.simulation.scenario import Scenario, User
from framework.testing.simulation.state import counts_of, state_of
from framework.testing.simulation.trace import kind_of

# Who has not become quiet in so many times as long as it takes to be called quiet, never will.
_LIMIT = 6
_JOIN_SECONDS = 10.0
# Who is asked to end may take its grace period, and the machine its time.
_PATIENCE = 3.0


OUTAGES: Mapping[str, Callable[[Relay], None]] = {"cut": Relay.cut, "partition": Relay.freeze}


class RealRun:
    """Used once."""

    def __init__(
        self, scenario: Scenario, plan: Plan, *, stage: Stage, processes: Processes, clock: FastClock, folder: Path
    ) -> None:
        self._scenario = scenario
        self._plan = plan
        self._stage = stage
        self._processes = processes
        self._clock = clock
        self._folder = folder
        self._trace = SharedTrace(clock)
        self._violations: list[Violation] = []
        self._witness = Witness(stage.user.client, stage.kinds)
        self._witness.journal.elapsed = clock.monotonic
        longest = max((fault.seconds for fault in plan.faults), default=0.0)
        self._limit_seconds = _LIMIT * scenario.quiet_seconds + longest
        self._quiet = Quiet(clock, [self._witness.journal], scenario.quiet_seconds, self._limit_seconds)
        self._relays: dict[str, Relay] = {}
        self._crossings: dict[str, Crossing] = {}
        self._lock = threading.Lock()
        # Restarts and acts of the user that are under way.
        self._pending: list[threading.Thread] = []
        self._is_over = False

    def outcome(self) -> Outcome:
        if self._scenario.outside is not None:
            self._scenario.outside.reset()
        with self._witness, ExitStack() as stack:
            for process in self._scenario.processes:
                self._build_relay(process, stack)
            try:
                self._play()
                open_watches = self._open_watches()
            finally:
                self._end()
            self._look_at_processes()
        return self._result(open_watches)

    # What faults can do.

    def crash(self, process: str, seconds: float) -> None:
        self._processes.kill(process)
        self._spawn(f"restart-{process}", lambda: self._restart(process, seconds))

    def stand_still(self, process: str, wait: Callable[[], None]) -> None:
        self._processes.stop(process)
        try:
            wait()
        finally:
            self._processes.go_on(process)

    def terminate(self, process: str, seconds: float) -> None:
        self._spawn(f"terminate-{process}", lambda: self._terminate(process, seconds))

    def sever(self, process: str, fault: Fault) -> None:
        self._spawn(f"{fault.do}-{process}", lambda: self._outage(self._relays[process], fault))

    def stir(self, request: str) -> None:
        self._quiet.stir(request)

    def act(self, fault: Fault) -> None:
        if fault.do in LOSSES:
            lose_lease(self._stage.user, fault, self._clock.now())
            return
        manifest = self._stage.user.delete(fault.object)
        if manifest is not None and fault.do == "recreate":
            user = self._stage.user
            self._spawn("recreate", lambda: user.create_when_gone(fault.object, manifest, meanwhile=self._quiet.stir))

    def was_there_before(self, plural: str, key: Key) -> bool:
        return self._stage.is_foreign(plural, key)

    def is_overtaken(self, plural: str, key: Key, version: int) -> bool:
        return self._witness.is_overtaken(plural, key, version)

    # The course of a run.

    def _build_relay(self, process: str, stack: ExitStack) -> None:
        crossing = Crossing(process, self._plan, world=self, trace=self._trace, clock=self._clock)
        plane = self._stage.plane
        relay = stack.enter_context(Relay(plane.url, ca_file=plane.ca_file, interceptor=crossing))
        self._crossings[process], self._relays[process] = crossing, relay

    def _play(self) -> None:
        self._quiet.stir()
        # Before the witness can know of it.
        self._stage.user.tell_writes(self._quiet.stir)
        for process in self._scenario.processes:
            self._start(process)
        try:
            self._scenario.workload(User(self._stage.user.client, self._quiet, {}))
        except (WindlassError, AssertionError) as error:
            self._report("workload", f"{type(error).__name__}: {error}")
        self._become_quiet()
        for fault in self._plan.faults:
            if fault.request == QUIET:
                self._quiet.stir()
                self.act(fault)
                self._become_quiet()
        if not self._plan.faults and not self._violations:
            self._start_again()

    def _start_again(self) -> None:
        """Who finds everything done has nothing to write."""
        steps = self._trace.trace.steps
        before = len(steps)
        for process in self._scenario.processes:
            self.crash(process, self._scenario.down_seconds)
        self._become_quiet()
        after = steps[before:]
        del steps[before:]
        writes = [
            step.request for step in after if step.nth and kind_of(step.request) == "write" and counts(step.request)
        ]
        if writes:
            self._report("O1", f"a settled cluster, started again, is written to: {'; '.join(writes[:3])}")

    def _become_quiet(self) -> None:
        limit = self._limit_seconds / self._clock.speed
        if not wait_until(self._is_quiet, limit_seconds=limit):
            steps = self._trace.trace.steps
            writes = [step.request for step in steps if step.nth and kind_of(step.request) == "write"]
            self._report("O1", f"still writing after {self._limit_seconds:g} s: {'; '.join(writes[-3:])}")

    def _is_quiet(self) -> bool:
        with self._lock:
            self._pending = [thread for thread in self._pending if thread.is_alive()]
            return not self._pending and self._quiet.seconds_left <= 0

    def _outage(self, relay: Relay, fault: Fault) -> None:
        OUTAGES[fault.do](relay)
        self._clock.wait(fault.seconds)
        relay.restore()

    def _terminate(self, process: str, seconds: float) -> None:
        grace = self._scenario.options_of(process).grace_period_seconds / self._clock.speed
        self._processes.terminate(process, _PATIENCE * grace)
        self._restart(process, seconds)

    def _restart(self, process: str, seconds: float) -> None:
        self._clock.wait(seconds or self._scenario.down_seconds)
        if not self._is_over:
            self._start(process)
            self._quiet.stir()

    def _start(self, process: str) -> None:
        self._trace.note(process, "starts")
        log = self._folder / f"{process}.log"
        self._processes.start(Birth(process, self._relays[process].url, str(log)))

    def _spawn(self, name: str, target: Any) -> None:
        thread = threading.Thread(target=target, name=name, daemon=True)
        with self._lock:
            self._pending.append(thread)
            thread.start()

    def _end(self) -> None:
        self._is_over = True
        with self._lock:
            pending = list(self._pending)
        for thread in pending:
            thread.join(_JOIN_SECONDS)
        ended = self._processes.ended()
        for process in ended:
            self._report("O8", f"the process {process} has ended by itself")
        for process in self._scenario.processes:
            self._processes.kill(process)

    def _open_watches(self) -> tuple[str, ...]:
        return tuple(sorted(path for crossing in self._crossings.values() for path in crossing.open_watches))

    def _look_at_processes(self) -> None:
        for line in self._log():
            if line["event"] == VIOLATION:
                self._report(line["oracle"], line["message"])
            elif line["level"] == "error" and "exception" in line and line["event"] != "reconcile_raised":
                self._report("O8", f"{line['event']}: {line['exception'].splitlines()[-1]}")

    def _log(self) -> Iterator[dict[str, Any]]:
        for process in self._scenario.processes:
            for line in (self._folder / f"{process}.log").read_text().splitlines():
                # A traceback of the interpreter is no line of ours; who is killed leaves half a line.
                if line.startswith("{") and line.endswith("}"):
                    yield json.loads(line)

    def _result(self, open_watches: tuple[str, ...]) -> Outcome:
        self._witness.check()
        outside = self._scenario.outside.state() if self._scenario.outside is not None else None
        journal = self._witness.journal
        return Outcome(
            plan=self._plan,
            steps=self._trace.trace.steps,
            state=state_of(journal, outside),
            counts=counts_of(journal.commits),
            open_watches=open_watches,
            violations=tuple(dict.fromkeys(self._violations)),
            log=list(self._log()),
        )

    def _report(self, oracle: str, message: str) -> None:
        self._violations.append(Violation(oracle, message))
