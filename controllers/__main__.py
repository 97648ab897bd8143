"""The binary: reads flags, builds a manager, puts the controllers of the mode into it, runs it."""

import logging
import os
import socket
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import msgspec
import structlog
from prometheus_client import CollectorRegistry

from apis.meta import Key, resource_type_of
from apis.requeststate.v1 import RequestState
from controllers.options import (
    Flag,
    address,
    duration,
    duration_of_at_least,
    namespace_name,
    number_of_at_least,
    object_name,
    one_of,
    parse_flags,
    switch,
    usage,
)
from controllers.preflight import Rights, check_namespace, check_reachable
from controllers.requeststate.flow import Flow
from controllers.requeststate.jobs import load_jobs
from controllers.requeststate.own_requests import OwnRequests
from controllers.requeststate.progress import JsonProgress, TextProgress
from controllers.requeststate.register import DIRECTOR, register_director, register_worker
from controllers.requeststate.rights import WORKER_RIGHTS, director_rights
from controllers.requeststate.worker_options import WorkerOptions
from framework.client import RestClientMetrics, connect, find_credentials
from framework.clock import SystemClock
from framework.errors import ConfigurationError, Forbidden, NotFound, Unauthorized, WindlassError
from framework.log import configure_logging, without_secrets
from framework.manager import LeaderOptions, Manager, ManagerOptions, stop_on_signals
from framework.runtime import Event

MODES = {
    "director": "creates RequestStates and decides which job of each comes next",
    "worker": "does the jobs",
}
_DIRECTOR, _WORKER = ("director",), ("worker",)
_ONE_SECOND = duration_of_at_least(1.0)
FLAGS = (
    Flag("mode", "what this process does", "director"),
    Flag("namespace", "where the custom resources are", "default", namespace_name),
    Flag("kubeconfig", "path of a kubeconfig; else $KUBECONFIG, the service account, ~/.kube/config"),
    Flag("master", "address of the API server, instead of the one in the kubeconfig"),
    Flag("requests", "requests to create; 0: none, and run until SIGTERM", "1", number_of_at_least(0), _DIRECTOR),
    Flag("jobs", "the flow of requests that name none themselves", "JOB1,JOB2", Flow.parse, _DIRECTOR),
    Flag("name", "name of the one request to create; else a UUID", "", object_name, _DIRECTOR),
    Flag("output", "how progress is shown: text or json", "text", one_of("text", "json"), _DIRECTOR),
    Flag("leader-elect", "only one director at a time decides", "true", switch, _DIRECTOR),
    Flag("lease-name", "name of the Lease that directors share", "windlass-director", object_name, _DIRECTOR),
    Flag("lease-duration", "how long others wait for a leader that is silent", "15s", _ONE_SECOND, _DIRECTOR),
    Flag("lease-renew-deadline", "how long a leader tries to renew before it gives up", "10s", duration, _DIRECTOR),
    Flag("lease-retry-period", "how long to wait between two tries", "2s", duration, _DIRECTOR),
    Flag("job-duration", "how long the sample jobs take", "2s", duration, _WORKER),
    Flag("job-retries", "how often a job that failed is tried again", "3", number_of_at_least(0), _WORKER),
    Flag("claim-duration", "how long a claim lives without being renewed", "30s", _ONE_SECOND, _WORKER),
    Flag("concurrency", "how many requests are worked on at the same time", "8", number_of_at_least(1)),
    Flag("grace-period", "how long a stop may take", "30s", duration),
    Flag("health-probe-bind-address", "where /healthz and /readyz are served, e.g. :8081; 0: nowhere", "0", address),
    Flag("metrics-bind-address", "where /metrics is served, e.g. :8080; 0: nowhere", "0", address),
    Flag("log-level", "debug, info, warning or error", "info", one_of("debug", "info", "warning", "error")),
)
EXIT_FAILED, EXIT_USAGE = 1, 2
_POLL_SECONDS = 1.0
_FIRST_POLL_SECONDS = 0.02

_log = structlog.get_logger("windlass")


class Environment(msgspec.Struct, frozen=True):
    """What a process gets from outside, so that a test can give it something else."""

    variables: Mapping[str, str]
    home: Path
    stdout: TextIO
    stderr: TextIO


def main(argv: Sequence[str] | None = None) -> int:
    """Return the exit code; the only place that turns an exception into one."""
    # Not Path.home: it raises for a user id that has no name, as containers often have.
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - see above
    environment = Environment(os.environ, home, sys.stdout, sys.stderr)
    arguments = sys.argv[1:] if argv is None else argv
    if any(argument in {"-h", "-help", "--help"} for argument in arguments):
        environment.stdout.write(usage(FLAGS, MODES))
        return 0
    try:
        options = parse_flags(FLAGS, tuple(MODES), arguments, environment.variables)
        configure_logging(stream=environment.stderr, level=getattr(logging, options["log-level"].upper()))
        return run(options, environment, stop_on_signals())
    except ConfigurationError as error:
        return _fail(environment, error, EXIT_USAGE)
    except WindlassError as error:
        return _fail(environment, error, EXIT_FAILED)


def run(options: Mapping[str, Any], environment: Environment, stop: Event) -> int:
    manager_options = _manager_options(options)
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
    check_reachable(client)
    manager = Manager(client, clock=clock, registry=registry, options=manager_options)
    return _MODES[options["mode"]](manager, options, environment, stop)


def _run_worker(manager: Manager, options: Mapping[str, Any], _environment: Environment, stop: Event) -> int:
    worker_options = WorkerOptions(
        name=manager.options.identity,
        job_retries=options["job-retries"],
        job_duration_seconds=options["job-duration"],
        claim_duration_seconds=options["claim-duration"],
    )
    register_worker(manager, load_jobs(), worker_options, concurrency=options["concurrency"])
    rights = Rights(manager.client, options["namespace"], WORKER_RIGHTS, clock=manager.clock)
    manager.add_ready_check("rights", rights.problem)

    def work() -> int:
        _wait_for_sync(manager, stop)
        stop.wait()
        return 0

    return _while_running(manager, work)


def _run_director(manager: Manager, options: Mapping[str, Any], environment: Environment, stop: Event) -> int:
    own = _own_requests(manager, options, environment)
    check_namespace(manager.client, options["namespace"])
    needed = director_rights(creates=options["requests"] > 0, elects=options["leader-elect"])
    Rights(manager.client, options["namespace"], needed, clock=manager.clock).check()
    register_director(manager, options["jobs"], concurrency=options["concurrency"])
    manager.informer(RequestState).add_handler(own, name="own-requests")

    def work() -> int:
        if not _wait_for_sync(manager, stop, fatal=(Forbidden, Unauthorized)):
            return 0
        if options["requests"]:
            return _see_through(own, stop)
        stop.wait()
        return 0

    return _while_running(manager, work)


def _while_running(manager: Manager, work: Callable[[], int]) -> int:
    in_time = True
    try:
        manager.start()
        code = work()
    finally:
        in_time = manager.stop()
    return code if in_time else EXIT_FAILED


def _wait_for_sync(manager: Manager, stop: Event, fatal: tuple[type[WindlassError], ...] = ()) -> bool:
    """True once the cache is there; a missing CRD is said once and waited for. False when *stop* came first."""
    informer = manager.informer(RequestState)
    is_absence_said = False
    while not informer.has_synced:
        failure = informer.failure
        if isinstance(failure, fatal):
            raise failure
        if isinstance(failure, NotFound) and not is_absence_said:
            is_absence_said = True
            crd = resource_type_of(RequestState).name
            _log.warning("crd_not_installed", crd=crd, hint="install it; this process goes on as soon as it is there")
        if stop.wait(_FIRST_POLL_SECONDS if failure is None else _POLL_SECONDS):
            return False
    return True


def _see_through(own: OwnRequests, stop: Event) -> int:
    """Create the requests and wait until they are over."""
    own.create_missing(stop)
    while not own.wait_until_over(_POLL_SECONDS):
        if stop.is_set():
            raise WindlassError(f"stopped while {own.unfinished} of its own requests were not over")
        own.create_missing(stop)
    return EXIT_FAILED if own.has_failures else 0


def _own_requests(manager: Manager, options: Mapping[str, Any], environment: Environment) -> OwnRequests:
    count, name = options["requests"], options["name"]
    if name and count != 1:
        raise ConfigurationError(f"-name={name} names one request, but -requests={count} asks for {count}")
    names = [name] if name else [str(uuid.uuid4()) for _ in range(count)]
    as_json = options["output"] == "json"
    progress = JsonProgress(environment.stdout) if as_json else TextProgress(environment.stdout, count)
    return OwnRequests(
        names,
        options["namespace"],
        options["jobs"],
        client=manager.client_for(DIRECTOR),
        clock=manager.clock,
        runtime=manager.runtime,
        on_progress=progress.show,
    )


def _manager_options(options: Mapping[str, Any]) -> ManagerOptions:
    return ManagerOptions(
        health_address=options["health-probe-bind-address"],
        metrics_address=options["metrics-bind-address"],
        grace_period_seconds=options["grace-period"],
        lease=Key(options["namespace"], options["lease-name"]) if options.get("leader-elect") else None,
        leader=_leader_options(options),
        identity=f"{socket.gethostname()}_{uuid.uuid4()}",
        namespaces=(options["namespace"],),
    )


def _leader_options(options: Mapping[str, Any]) -> LeaderOptions:
    if not options.get("leader-elect"):
        return LeaderOptions()
    return LeaderOptions(
        lease_seconds=options["lease-duration"],
        renew_deadline_seconds=options["lease-renew-deadline"],
        retry_seconds=options["lease-retry-period"],
    )


def _fail(environment: Environment, error: WindlassError, code: int) -> int:
    environment.stderr.write(f"windlass: {without_secrets(' '.join(str(error).split()))}\n")
    return code


_MODES: Mapping[str, Callable[[Manager, Mapping[str, Any], Environment, Event], int]] = {
    "director": _run_director,
    "worker": _run_worker,
}

if __name__ == "__main__":
    sys.exit(main())
