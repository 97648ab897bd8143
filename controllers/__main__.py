"""The binary: reads flags, builds a manager, puts the controllers of the mode into it, runs it."""

import logging
import os
import signal
import socket
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

import msgspec
import structlog
from prometheus_client import CollectorRegistry

from apis.core.v1 import Namespace
from apis.meta import Key
from apis.requeststate.v1 import RequestState
from controllers.options import Flag, duration, one_of, parse_flags, positive_number, switch, usage, whole_number
from controllers.requeststate.flow import Flow
from controllers.requeststate.jobs import load_jobs
from controllers.requeststate.own_requests import OwnRequests
from controllers.requeststate.progress import JsonProgress, TextProgress
from controllers.requeststate.register import register_director, register_worker
from controllers.requeststate.worker import WorkerOptions
from framework.client import Client, RestClientMetrics, connect, find_credentials
from framework.clock import SystemClock
from framework.errors import (
    ConfigurationError,
    Forbidden,
    NotFound,
    TlsError,
    TransportError,
    Unauthorized,
    WindlassError,
)
from framework.log import configure_logging, without_secrets
from framework.manager import Manager, ManagerOptions
from framework.runtime import Event, ThreadRuntime

MODES = {
    "director": "creates RequestStates and decides which job of each comes next",
    "worker": "does the jobs",
}
_DIRECTOR, _WORKER = ("director",), ("worker",)
FLAGS = (
    Flag("mode", "what this process does", "director"),
    Flag("namespace", "where the custom resources are", "default"),
    Flag("kubeconfig", "path of a kubeconfig; else $KUBECONFIG, the service account, ~/.kube/config"),
    Flag("master", "address of the API server, instead of the one in the kubeconfig"),
    Flag("requests", "how many requests to create; 0: none, and run until SIGTERM", "1", whole_number, _DIRECTOR),
    Flag("jobs", "the flow of requests that name none themselves", "JOB1,JOB2", Flow.parse, _DIRECTOR),
    Flag("name", "name of the one request to create; else a UUID", modes=_DIRECTOR),
    Flag("output", "how progress is shown", "text", one_of("text", "json"), _DIRECTOR),
    Flag("leader-elect", "only one director at a time decides", "true", switch, _DIRECTOR),
    Flag("lease-name", "name of the Lease that directors share", "windlass-director", modes=_DIRECTOR),
    Flag("job-duration", "how long the sample jobs take", "2s", duration, _WORKER),
    Flag("job-retries", "how often a job that failed is tried again", "3", whole_number, _WORKER),
    Flag("claim-duration", "how long a claim lives without being renewed", "30s", duration, _WORKER),
    Flag("concurrency", "how many requests are worked on at the same time", "8", positive_number),
    Flag("grace-period", "how long a stop may take", "30s", duration),
    Flag("health-probe-bind-address", "where /healthz and /readyz are served, e.g. :8081; 0: nowhere", "0"),
    Flag("metrics-bind-address", "where /metrics is served, e.g. :8080; 0: nowhere", "0"),
    Flag("log-level", "debug, info, warning or error", "info", one_of("debug", "info", "warning", "error")),
)
EXIT_FAILED, EXIT_USAGE = 1, 2
_POLL_SECONDS = 1.0

_log = structlog.get_logger("windlass")


class Environment(msgspec.Struct, frozen=True):
    """What a process gets from outside, so that a test can give it something else."""

    variables: Mapping[str, str]
    home: Path
    stdout: TextIO
    stderr: TextIO


def main(argv: Sequence[str] | None = None) -> int:
    """Return the exit code; the only place that turns an exception into one."""
    environment = Environment(os.environ, Path.home(), sys.stdout, sys.stderr)
    arguments = sys.argv[1:] if argv is None else argv
    if any(argument in {"-h", "-help", "--help"} for argument in arguments):
        environment.stdout.write(usage(FLAGS, MODES))
        return 0
    stop = ThreadRuntime().event()
    _stop_on_signals(stop)
    try:
        options = parse_flags(FLAGS, tuple(MODES), arguments, environment.variables)
        configure_logging(stream=environment.stderr, level=getattr(logging, options["log-level"].upper()))
        return run(options, environment, stop)
    except ConfigurationError as error:
        return _fail(environment, error, EXIT_USAGE)
    except WindlassError as error:
        return _fail(environment, error, EXIT_FAILED)


def run(options: Mapping[str, Any], environment: Environment, stop: Event) -> int:
    clock = SystemClock()
    registry = CollectorRegistry()
    credentials = find_credentials(
        kubeconfig=options["kubeconfig"],
        master=options["master"],
        environment=environment.variables,
        home=environment.home,
        clock=clock,
    )
    client = connect(credentials, clock=clock, metrics=RestClientMetrics(registry))
    _check_reachable(client)
    identity = f"{socket.gethostname()}_{uuid.uuid4()}"
    manager = Manager(client, clock=clock, registry=registry, options=_manager_options(options, identity))
    return _MODES[options["mode"]](manager, options, environment, stop)


def _run_worker(manager: Manager, options: Mapping[str, Any], _environment: Environment, stop: Event) -> int:
    worker_options = WorkerOptions(
        name=manager.options.identity,
        job_retries=options["job-retries"],
        job_duration_seconds=options["job-duration"],
        claim_duration_seconds=options["claim-duration"],
    )
    register_worker(manager, load_jobs(), worker_options, concurrency=options["concurrency"])
    return 0 if manager.run(stop) else EXIT_FAILED


def _run_director(manager: Manager, options: Mapping[str, Any], environment: Environment, stop: Event) -> int:
    own = _own_requests(manager, options, environment)
    _check_namespace(manager.client, options["namespace"])
    register_director(manager, options["jobs"], concurrency=options["concurrency"])
    if not options["requests"]:
        return 0 if manager.run(stop) else EXIT_FAILED
    manager.informer(RequestState).add_handler(own, name="own-requests")
    manager.start()
    try:
        return _see_through(manager, own, stop)
    finally:
        manager.stop()


def _see_through(manager: Manager, own: OwnRequests, stop: Event) -> int:
    """Create the requests once the CRD is there, and wait until they are over."""
    informer = manager.informer(RequestState)
    while not informer.has_synced:
        # Waiting helps when the CRD is missing; without rights it would wait for ever.
        if isinstance(informer.failure, Forbidden | Unauthorized):
            raise informer.failure
        if stop.wait(0.02 if informer.failure is None else _POLL_SECONDS):
            return 0
    own.create()
    while not own.wait_until_over(_POLL_SECONDS):
        if stop.is_set():
            return 0
    return EXIT_FAILED if own.failures() else 0


def _own_requests(manager: Manager, options: Mapping[str, Any], environment: Environment) -> OwnRequests:
    count, name = options["requests"], options["name"]
    if name and count > 1:
        raise ConfigurationError(f"-name={name} names one request, but -requests={count} asks for {count}")
    names = [name] if name else [str(uuid.uuid4()) for _ in range(count)]
    as_json = options["output"] == "json"
    progress = JsonProgress(environment.stdout) if as_json else TextProgress(environment.stdout, count)
    return OwnRequests(
        names,
        options["namespace"],
        options["jobs"],
        client=manager.client_for("requeststate-director"),
        clock=manager.clock,
        runtime=manager.runtime,
        on_progress=progress.show,
    )


def _check_reachable(client: Client) -> None:
    """One clear line now is better than a process that stays unready for a reason nobody looks up."""
    try:
        client.raw_get("/version")
    except Unauthorized:
        server = client.connection.server
        raise WindlassError(f"{server} does not accept the credentials: is the token expired?") from None
    except TlsError as error:
        raise WindlassError(f"the API server's certificate is not accepted: {error}") from None
    except TransportError as error:
        raise WindlassError(f"the API server cannot be reached: {error}") from None
    except Forbidden:
        # It knows us and may forbid even this; what really matters will say so.
        return


def _check_namespace(client: Client, name: str) -> None:
    try:
        namespace = client.get(Namespace, Key("", name))
    except NotFound:
        raise WindlassError(f"namespace {name!r} does not exist; create it or choose another with -namespace") from None
    except Forbidden:
        # Whoever may write in a namespace need not be allowed to look at it.
        return
    if namespace.metadata.is_being_deleted:
        raise WindlassError(f"namespace {name!r} is being deleted; wait, or choose another with -namespace")


def _manager_options(options: Mapping[str, Any], identity: str) -> ManagerOptions:
    lease = Key(options["namespace"], options["lease-name"]) if options.get("leader-elect") else None
    return ManagerOptions(
        health_address=_address(options["health-probe-bind-address"]),
        metrics_address=_address(options["metrics-bind-address"]),
        grace_period_seconds=options["grace-period"],
        lease=lease,
        identity=identity,
        namespaces=(options["namespace"],),
    )


def _address(text: str) -> str:
    return "" if text == "0" else text


def _stop_on_signals(stop: Event) -> None:
    def on_signal(number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            # Asked twice: somebody is in a hurry.
            os._exit(128 + number)
        stop.set()

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, on_signal)


def _fail(environment: Environment, error: WindlassError, code: int) -> int:
    environment.stderr.write(f"windlass: {without_secrets(' '.join(str(error).split()))}\n")
    return code


_MODES: Mapping[str, Callable[[Manager, Mapping[str, Any], Environment, Event], int]] = {
    "director": _run_director,
    "worker": _run_worker,
}

if __name__ == "__main__":
    sys.exit(main())
