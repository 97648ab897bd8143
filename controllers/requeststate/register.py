"""Puts director and worker into a manager."""

from collections.abc import Mapping

from apis.requeststate.v1 import RequestState
from controllers.requeststate.claims import ClaimObserver
from controllers.requeststate.director import DirectorReconciler
from controllers.requeststate.flow import Flow
from controllers.requeststate.held import HeldClaims
from controllers.requeststate.jobs import Job
from controllers.requeststate.worker import WorkerOptions, WorkerReconciler
from framework.controller import ControllerOptions, Primary
from framework.manager import Manager

DIRECTOR, WORKER = "requeststate-director", "requeststate-worker"


def register_director(manager: Manager, flow: Flow, *, concurrency: int = 8) -> None:
    request_states = manager.informer(RequestState)
    reconciler = DirectorReconciler(
        request_states=request_states.lister,
        client=manager.client_for(DIRECTOR),
        recorder=manager.recorder_for(DIRECTOR),
        clock=manager.clock,
        flow=flow,
    )
    options = ControllerOptions(max_concurrent_reconciles=concurrency)
    manager.add_controller(DIRECTOR, reconciler, [Primary(request_states)], options)


def register_worker(manager: Manager, jobs: Mapping[str, Job], options: WorkerOptions, *, concurrency: int = 8) -> None:
    request_states = manager.informer(RequestState)
    client = manager.client_for(WORKER)
    held = HeldClaims(
        client, options.name, options.claim_duration_seconds, clock=manager.clock, runtime=manager.runtime
    )
    reconciler = WorkerReconciler(
        request_states=request_states.lister,
        client=client,
        jobs=jobs,
        held=held,
        observer=ClaimObserver(manager.clock, options.claim_duration_seconds),
        recorder=manager.recorder_for(WORKER),
        clock=manager.clock,
        options=options,
    )
    # Workers compete by claims, so every replica works.
    controller_options = ControllerOptions(max_concurrent_reconciles=concurrency, needs_leader=False)
    manager.add_controller(WORKER, reconciler, [Primary(request_states)], controller_options)
    request_states.add_handler(reconciler, name=f"{WORKER}-running")
    manager.before_stop(reconciler.drain)
    held.start()
