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

from apis.core.v1 import Namespace
from apis.meta import Key, resource_type_of
from apis.registry import CF_WORKER_GROUP_KINDS, CUSTOM_KINDS
from apis.requeststate.v1 import RequestState
from controllers.cfapi.flags import CF_API_MODE
from controllers.definitions import install_crds
from controllers.explain import explain
from controllers.flags import FLAGS, MODES
from controllers.hosted import SYSTEMS, host_controllers
from controllers.laf.settings import MANAGER_LEASE_NAME, LafSettings
from controllers.options import parse_command_flags, parse_flags, usage
from controllers.peerpods.flags import peer_pod_options
from controllers.podmutator.server import serve_webhook
from controllers.preflight import check_namespace, check_reachable
from controllers.requeststate.jobs import load_jobs
from controllers.requeststate.own_requests import OwnRequests
from controllers.requeststate.progress import JsonProgress, TextProgress
from controllers.requeststate.register import DIRECTOR, LEASE_NAME, register_director, register_worker
from controllers.requeststate.rights import CREATOR_RIGHTS
from controllers.requeststate.worker_options import WorkerOptions
from controllers.workerbuild.flags import WORKER_BUILD_MODES
from controllers.workers.flags import CF_WORKER_GROUP, workers_settings
from framework.client import Client, RestClientMetrics, connect, find_credentials
from framework.clock import Clock, SystemClock
from framework.clusters import ClusterOptions
from framework.errors import ConfigurationError, Forbidden, NotFound, Unauthorized, WindlassError
from framework.log import configure_logging, without_secrets
from framework.manager import LEADER_ELECTION, LeaderOptions, Manager, ManagerOptions, stop_on_signals
from framework.rights import check_rights, needs_of
from framework.runtime import Event

EXIT_FAILED, EXIT_USAGE = 1, 2
_POLL_SECONDS = 1.0
_FIRST_POLL_SECONDS = 0.02
# Whether lines are JSON; None: unless they go to a terminal.
_LOG_FORMATS = {"auto": None, "json": True, "text": False}
_NAMESPACE_FILE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")

_log = structlog.get_logger("windlass")


class Environment(msgspec.Struct, frozen=True):
    """What a process gets from outside, so that a test can give it something else."""

    variables: Mapping[str, str]
    home: Path
    stdout: TextIO
    stderr: TextIO
    # Where the pod of this process is; empty outside of a cluster.
    namespace: str = ""


def main(argv: Sequence[str] | None = None) -> int:
    """Return the exit code; the only place that turns an exception into one."""
    # Not Path.home: it raises for a user id that has no name, as containers often have.
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - see above
    environment = Environment(os.environ, home, sys.stdout, sys.stderr, _own_namespace())
    arguments = sys.argv[1:] if argv is None else argv
    command = {"explain": _explain, "install-crds": _install_crds, "webhook": _serve_webhook}.get(
        "".join(arguments[:1])
    )
    try:
        if command is not None:
            return command(arguments[1:], environment)
        if any(argument in {"-h", "-help", "--help"} for argument in arguments):
            environment.stdout.write(usage(FLAGS, MODES))
            return 0
        options = parse_flags(FLAGS, tuple(MODES), arguments, environment.variables)
        configure_logging(
            stream=environment.stderr,
            level=getattr(logging, options["log-level"].upper()),
            as_json=_LOG_FORMATS[options["log-format"]],
        )
        if options["mode"] in WORKER_BUILD_MODES:
            return _run_worker_step(options, environment)
        return run(options, environment, stop_on_signals())
    except ConfigurationError as error:
        return _fail(environment, error, EXIT_USAGE)
    except WindlassError as error:
        return _fail(environment, error, EXIT_FAILED)


def _own_namespace() -> str:
    try:
        return _NAMESPACE_FILE.read_text().strip()
    except OSError:
        return ""


def _explain(arguments: Sequence[str], environment: Environment) -> int:
    explain(arguments, environment.variables, environment.stdout)
    return 0


def _install_crds(arguments: Sequence[str], environment: Environment) -> int:
    flags = [flag for flag in FLAGS if flag.name in {"kubeconfig", "master", CF_WORKER_GROUP}]
    options = parse_command_flags(flags, arguments, environment.variables)
    client = _connected_client(options, environment)
    kinds = (*CUSTOM_KINDS, *CF_WORKER_GROUP_KINDS) if options[CF_WORKER_GROUP] else CUSTOM_KINDS
    for name in install_crds(client, kinds):
        environment.stdout.write(f"{name}\n")
    return 0


def _serve_webhook(arguments: Sequence[str], environment: Environment) -> int:
    if arguments:
        raise ConfigurationError(f"webhook has no arguments, but was given {' '.join(arguments)}")
    configure_logging(stream=environment.stderr, level=logging.INFO)
    return serve_webhook(environment.variables, stop_on_signals())


def _run_worker_step(options: Mapping[str, Any], environment: Environment) -> int:
    # Its libraries for HTTP take time to load, which the other modes do without.
    from controllers.workerbuild.modes import run_worker_step

    return run_worker_step(options, environment.stderr)


def run(options: Mapping[str, Any], environment: Environment, stop: Event) -> int:
    if options["mode"] == CF_API_MODE:
        return _run_cf_api(options, environment, stop)
    # First: flags that do not fit together are refused before anything is contacted or started.
    manager_options = _manager_options(options, environment.namespace)
    _check_name(options)
    run_mode = {
        "director": _run_director,
        "worker": _run_worker,
        "standalone": _run_standalone,
        "manager": _run_manager,
    }[options["mode"]]
    return run_mode(manager_options, options, environment, stop)


def _run_cf_api(options: Mapping[str, Any], environment: Environment, stop: Event) -> int:
    # Its parser of forms and the client of S3 take time to load, which the other modes do without.
    from controllers.cfapi.mode import check_cf_api_flags, host_cf_api

    check_cf_api_flags(options)
    manager_options = ManagerOptions(grace_period_seconds=options["grace-period"], namespaces=(options["namespace"],))
    manager = _connected_manager(manager_options, options, environment)
    host_cf_api(manager, options)

    def work() -> int:
        stop.wait()
        return 0

    return _while_running(manager, work)


def _connected_manager(
    manager_options: ManagerOptions, options: Mapping[str, Any], environment: Environment
) -> Manager:
    clock, registry = SystemClock(), CollectorRegistry()
    client = _connected_client(options, environment, clock=clock, metrics=RestClientMetrics(registry))
    return Manager(client, clock=clock, registry=registry, options=manager_options)


def _connected_client(
    options: Mapping[str, Any],
    environment: Environment,
    *,
    clock: Clock | None = None,
    metrics: RestClientMetrics | None = None,
) -> Client:
    clock = clock or SystemClock()
    credentials = find_credentials(
        kubeconfig=options["kubeconfig"],
        master=options["master"],
        environment=environment.variables,
        home=environment.home,
        clock=clock,
    )
    client = connect(credentials, clock=clock, metrics=metrics)
    check_reachable(client)
    return client


def _run_worker(
    manager_options: ManagerOptions, options: Mapping[str, Any], environment: Environment, stop: Event
) -> int:
    manager = _connected_manager(manager_options, options, environment)
    _register_worker(manager, options)

    def work() -> int:
        _wait_for_sync(manager, stop)
        stop.wait()
        return 0

    return _while_running(manager, work)


def _run_director(
    manager_options: ManagerOptions, options: Mapping[str, Any], environment: Environment, stop: Event
) -> int:
    return _direct(_connected_manager(manager_options, options, environment), options, environment, stop)


def _run_standalone(
    manager_options: ManagerOptions, options: Mapping[str, Any], environment: Environment, stop: Event
) -> int:
    # The other modes need no API server of their own, and it takes time to load.
    from controllers.standalone import embedded_cluster
    from framework.apiserver.in_process import in_process_client

    with embedded_cluster(options["data-dir"], options["secure-port"]) as server:
        environment.stderr.write(f"windlass: kubectl --kubeconfig={server.kubeconfig} get requeststates\n")
        registry = CollectorRegistry()
        client = in_process_client(server.api, metrics=RestClientMetrics(registry))
        manager = Manager(client, clock=SystemClock(), registry=registry, options=manager_options)
        _register_worker(manager, options)
        return _direct(manager, options, environment, stop)


def _run_manager(
    manager_options: ManagerOptions, options: Mapping[str, Any], environment: Environment, stop: Event
) -> int:
    manager = _connected_manager(manager_options, options, environment)
    peer_pods = peer_pod_options(options, environment.namespace)
    laf, workers = _laf_settings(manager.client, options), workers_settings(options)
    host_controllers(manager, laf, peer_pods, workers, options["controllers"])

    def work() -> int:
        stop.wait()
        return 0

    return _while_running(manager, work)


def _laf_settings(client: Client, options: Mapping[str, Any]) -> LafSettings:
    return LafSettings(
        system_namespace=options["system-namespace"],
        app_namespace_prefix=options["app-namespace-prefix"],
        appid_length=options["appid-length"],
        form_ttl_seconds=options["form-ttl"],
        resync_seconds=options["resync"],
        workers=options["workers"],
        # Known before anything begins: remote objects are watched by it.
        hub_id=options["hub-id"] or _uid_of_kube_system(client, options["controllers"]),
        probe_seconds=options["probe-period"],
        probe_failures=options["probe-failures"],
        connect_seconds=options["connect-timeout"],
        remote_seconds=options["remote-timeout"],
        allow_insecure_clusters=options["allow-insecure-clusters"],
    )


def _uid_of_kube_system(client: Client, controllers: Sequence[str]) -> str:
    """Empty, and not asked for, if none of *controllers* has anything to do with remote clusters."""
    if not {"cluster", "instance"} & set(controllers):
        return ""
    try:
        return client.get(Namespace, Key("", "kube-system")).metadata.uid
    except (Forbidden, NotFound) as error:
        raise ConfigurationError(f"namespace kube-system, whose uid is the default of -hub-id: {error}") from None


def _register_worker(manager: Manager, options: Mapping[str, Any]) -> None:
    worker_options = WorkerOptions(
        name=manager.options.identity,
        job_retries=options["job-retries"],
        job_duration_seconds=options["job-duration"],
        claim_duration_seconds=options["claim-duration"],
    )
    register_worker(manager, load_jobs(), worker_options, concurrency=options["concurrency"])


def _direct(manager: Manager, options: Mapping[str, Any], environment: Environment, stop: Event) -> int:
    own = _own_requests(manager, options, environment)
    check_namespace(manager.client, options["namespace"])
    register_director(manager, options["jobs"], concurrency=options["concurrency"])
    _check_rights(manager, options)
    manager.informer(RequestState).add_handler(own, name="own-requests")

    def work() -> int:
        if not _wait_for_sync(manager, stop, fatal=(Forbidden, Unauthorized)):
            return 0
        if options["requests"]:
            return _see_through(own, stop)
        stop.wait()
        return 0

    return _while_running(manager, work)


def _check_rights(manager: Manager, options: Mapping[str, Any]) -> None:
    """A director that lacks a right does not wait for it: somebody sits in front of it."""
    namespaces = {"watched": manager.options.namespaces, "home": options["namespace"]}
    creator = needs_of(CREATOR_RIGHTS if options["requests"] else (), **namespaces)
    check_rights(manager.client, dict.fromkeys([*manager.needs(DIRECTOR), *creator, *manager.needs(LEADER_ELECTION)]))


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
        # One that waits for its rights is not running yet.
        is_on_its_way = informer.is_running and failure is None
        if stop.wait(_FIRST_POLL_SECONDS if is_on_its_way else _POLL_SECONDS):
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


def _check_name(options: Mapping[str, Any]) -> None:
    name, count = options.get("name"), options.get("requests")
    if name and count != 1:
        raise ConfigurationError(f"-name={name} names one request, but -requests={count} asks for {count}")


def _own_requests(manager: Manager, options: Mapping[str, Any], environment: Environment) -> OwnRequests:
    count, name = options["requests"], options["name"]
    names = [name] if name else [str(uuid.uuid4()) for _ in range(count)]
    as_json = options["output"] == "json"
    progress = JsonProgress(environment.stdout) if as_json else TextProgress(environment.stdout, count)
    return OwnRequests(
        names,
        options["namespace"],
        options["jobs"],
        # Not the reconciler's: every director creates its own requests, whoever leads.
        client=manager.client.acting_as(f"windlass/{DIRECTOR}"),
        clock=manager.clock,
        runtime=manager.runtime,
        on_progress=progress.show,
    )


def _manager_options(options: Mapping[str, Any], own_namespace: str) -> ManagerOptions:
    return ManagerOptions(
        health_address=options["health-probe-bind-address"],
        metrics_address=options["metrics-bind-address"],
        metrics_secure=options["metrics-secure"],
        metrics_certificate_folder=Path(options["metrics-cert-dir"]) if options["metrics-cert-dir"] else None,
        debug_address=options["debug-bind-address"],
        grace_period_seconds=options["grace-period"],
        lease=_lease(options, own_namespace),
        leader=_leader_options(options),
        identity=f"{socket.gethostname()}_{uuid.uuid4()}",
        namespaces=options.get("namespaces") or (options.get("namespace", ""),),
        clusters=_cluster_options(options),
    )


def _cluster_options(options: Mapping[str, Any]) -> ClusterOptions:
    if options["mode"] != "manager":
        return ClusterOptions()
    return ClusterOptions(
        connect_seconds=options["connect-timeout"],
        request_seconds=options["remote-timeout"],
        # The controller of Clusters asks by itself, and for more than whether there is an answer.
        probe_seconds=None,
        retry_seconds=min(ClusterOptions().retry_seconds, options["probe-period"]),
    )


def _lease(options: Mapping[str, Any], own_namespace: str) -> Key | None:
    if not options.get("leader-elect"):
        return None
    if options["mode"] == "manager":
        has_laf = not set(SYSTEMS["laf"]).isdisjoint(options["controllers"])
        home = options["system-namespace"] if has_laf else peer_pod_options(options, own_namespace).namespace
        return Key(home, options["lease-name"] or MANAGER_LEASE_NAME)
    return Key(options["namespace"], options["lease-name"] or LEASE_NAME)


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


if __name__ == "__main__":
    sys.exit(main())
