"""Puts director and worker into a manager."""

from collections.abc import Mapping

from apis.requeststate.v1 import RequestState
from controllers.requeststate.claims import ClaimObserver
from controllers.requeststate.contention import Contention
from controllers.requeststate.director import DirectorReconciler
from controllers.requeststate.flow import Flow
from controllers.requeststate.held import HeldClaims
from controllers.requeststate.jobs import Job
from controllers.requeststate.renewal import ClaimRenewal
from controllers.requeststate.rights import DIRECTOR_RIGHTS, WORKER_RIGHTS
from controllers.requeststate.runner import JobRunner
from controllers.requeststate.transitions import Transitions
from controllers.requeststate.worker import WorkerReconciler
from controllers.requeststate.worker_options import WorkerOptions
from controllers.requeststate.written import WrittenVersions
from framework.controller import ControllerOptions, Primary
from framework.manager import Manager

DIRECTOR, WORKER = "requeststate-director", "requeststate-worker"
# Of the Lease that directors share, unless they are told another; the generated role is for this one.
LEASE_NAME = "windlass-director"


def register_director(manager: Manager, flow: Flow, *, concurrency: int = 8) -> None:
    request_states = manager.informer(RequestState)
    reconciler = DirectorReconciler(
        request_states=request_states.lister,
        client=manager.client_for(DIRECTOR),
        recorder=manager.recorder_for(DIRECTOR),
        clock=manager.clock,
        flow=flow,
    )
    options = ControllerOptions(max_concurrent_reconciles=concurrency, rights=DIRECTOR_RIGHTS)
    manager.add_controller(DIRECTOR, reconciler, [Primary(request_states)], options)


def register_worker(manager: Manager, jobs: Mapping[str, Job], options: WorkerOptions, *, concurrency: int = 8) -> None:
    clock, runtime, client = manager.clock, manager.runtime, manager.client_for(WORKER)
    request_states = manager.informer(RequestState)
    written = WrittenVersions()
    held = HeldClaims(options.claim_duration_seconds, clock=clock, runtime=runtime)
    renewal = ClaimRenewal(client, options.name, held, clock=clock, runtime=runtime)
    transitions = Transitions(client, options.name, held, written, clock=clock)
    runner = JobRunner(jobs, held, renewal, transitions, options, clock=clock)
    reconciler = WorkerReconciler(
        request_states=request_states.lister,
        client=client,
        held=held,
        observer=ClaimObserver(clock, options.claim_duration_seconds),
        contention=Contention(clock, options.name),
        written=written,
        transitions=transitions,
        runner=runner,
        recorder=manager.recorder_for(WORKER),
        clock=clock,
        options=options,
    )
    # Workers compete by claims, so every replica works.
    controller_options = ControllerOptions(
        max_concurrent_reconciles=concurrency, needs_leader=False, rights=WORKER_RIGHTS
    )
    manager.add_controller(WORKER, reconciler, [Primary(request_states)], controller_options)
    request_states.add_handler(runner, name=f"{WORKER}-running")
    manager.before_stop(runner.drain)
    renewal.start()
