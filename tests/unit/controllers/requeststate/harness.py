"""Director and worker without a process around them, on a fake server and in virtual time."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from apis.meta import Request
from controllers.requeststate.claims import ClaimObserver
from controllers.requeststate.contention import Contention
from controllers.requeststate.director import DirectorReconciler
from controllers.requeststate.flow import Flow
from controllers.requeststate.held import HeldClaims
from controllers.requeststate.jobs import Job, JobContext
from controllers.requeststate.renewal import ClaimRenewal
from controllers.requeststate.runner import JobRunner
from controllers.requeststate.transitions import Transitions
from controllers.requeststate.worker import WorkerReconciler
from controllers.requeststate.worker_options import WorkerOptions
from controllers.requeststate.written import WrittenVersions
from framework.conditions import is_true
from framework.errors import WindlassError
from framework.reconcile import Result
from framework.testing.virtual_time import VirtualTime
from tests.unit.controllers.requeststate.builders import KEY, FakeRecorder, FakeServer

CLAIM_SECONDS = 30.0


def does_nothing(_context: JobContext) -> None:
    pass


class Worker:
    def __init__(
        self,
        server: FakeServer,
        time: VirtualTime,
        name: str = "me",
        jobs: Mapping[str, Job] | None = None,
        job_retries: int = 3,
    ) -> None:
        known = {"JOB1": does_nothing, "JOB2": does_nothing} if jobs is None else jobs
        options = WorkerOptions(name=name, job_retries=job_retries, claim_duration_seconds=CLAIM_SECONDS)
        client = cast("Any", server)
        self.recorder = FakeRecorder()
        self.held = HeldClaims(CLAIM_SECONDS, clock=time.clock, runtime=time.runtime)
        self.renewal = ClaimRenewal(client, name, self.held, clock=time.clock, runtime=time.runtime)
        self.contention = Contention(time.clock, name)
        written = WrittenVersions()
        transitions = Transitions(client, name, self.held, written, clock=time.clock)
        self.runner = JobRunner(known, self.held, self.renewal, transitions, options, clock=time.clock)
        self._reconciler = WorkerReconciler(
            request_states=client,
            client=client,
            held=self.held,
            observer=ClaimObserver(time.clock, CLAIM_SECONDS),
            contention=self.contention,
            written=written,
            transitions=transitions,
            runner=self.runner,
            recorder=cast("Any", self.recorder),
            clock=time.clock,
            options=options,
        )

    def reconcile(self) -> Result:
        return self._reconciler.reconcile(Request(KEY))


class Director:
    def __init__(self, server: FakeServer, time: VirtualTime, flow: str = "JOB1,JOB2") -> None:
        client = cast("Any", server)
        self.recorder = FakeRecorder()
        self._reconciler = DirectorReconciler(
            request_states=client,
            client=client,
            recorder=cast("Any", self.recorder),
            clock=time.clock,
            flow=Flow.parse(flow),
        )

    def reconcile(self) -> Result:
        return self._reconciler.reconcile(Request(KEY))


class Crash(BaseException):
    """The process is gone."""


def run_to_the_end(server: FakeServer, time: VirtualTime, new_worker: Callable[[], Worker]) -> None:
    """Reconcile as a queue would; after a Crash the process is another one."""
    worker, director = new_worker(), Director(server, time)
    for _ in range(60):
        if is_true(server.request.status.conditions, "Complete"):
            return
        try:
            director.reconcile()
            pause = worker.reconcile().requeue_after_seconds
        except Crash:
            worker, director = new_worker(), Director(server, time)
        except WindlassError:
            # The queue tries again.
            continue
        else:
            time.advance(pause or 0.0)
    raise AssertionError(f"it does not converge: {server.request}, {server.writes[-10:]}")
