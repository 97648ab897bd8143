"""The mutator as a process of its own, without any rights in the cluster."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from prometheus_client import CollectorRegistry

from controllers.options import address
from controllers.podmutator.options import mutator_options
from framework.clock import Clock, SystemClock
from framework.errors import ConfigurationError
from framework.http.address import listen
from framework.loading import LOADING
from framework.manager.endpoints import Endpoints
from framework.manager.health import Checks
from framework.runtime import Event, Runtime, ThreadRuntime


class ServeOptions(msgspec.Struct, frozen=True):
    address: str = ":9443"
    # Of /healthz, /readyz and /metrics.
    health_address: str = ":8081"
    # With tls.crt and tls.key, such as a Secret that is mounted.
    certificate_folder: Path = Path("/tmp/k8s-webhook-server/serving-certs")  # noqa: S108 - a mount of the pod's own
    poll_seconds: float = 10.0
    grace_seconds: float = 10.0


def serve_options(environment: Mapping[str, str]) -> ServeOptions:
    """Of the variables in *environment*; what is empty counts as not set."""
    default = ServeOptions()
    return ServeOptions(
        _address(environment, "WEBHOOK_BIND_ADDRESS", default.address),
        _address(environment, "HEALTH_PROBE_BIND_ADDRESS", default.health_address),
        Path(environment.get("WEBHOOK_CERT_DIR") or default.certificate_folder),
    )


def _address(environment: Mapping[str, str], variable: str, default: str) -> str:
    try:
        return address(environment.get(variable) or default)
    except ValueError as error:
        raise ConfigurationError(f"{variable} {error}") from None


def serve_webhook(
    environment: Mapping[str, str],
    stop: Event,
    options: ServeOptions | None = None,
    *,
    clock: Clock | None = None,
    runtime: Runtime | None = None,
    started: Callable[[Mapping[str, int]], None] = lambda _: None,
) -> int:
    """Serve until *stop*; the exit code. Raises ConfigurationError before anything is served.

    *started* is told the ports of `webhook`, `health` and `metrics`.
    """
    # Other modes of the program do without what this one takes to load.
    with LOADING:
        from controllers.podmutator.https import MutatorServer
        from controllers.podmutator.tls_policy import tls_policy
        from framework.certificates.watcher import FolderWatcher

    options = options or serve_options(environment)
    clock, runtime, registry = clock or SystemClock(), runtime or ThreadRuntime(), CollectorRegistry()
    mutator, policy = mutator_options(environment), tls_policy(environment)
    readiness = Checks()
    endpoints = Endpoints(
        options.health_address,
        options.health_address,
        health=Checks(),
        readiness=readiness,
        registry=registry,
        clock=clock,
        runtime=runtime,
    )
    listening = listen("webhook", options.address)
    server = MutatorServer(listening, mutator, policy, clock=clock, runtime=runtime, registry=registry)
    watcher = FolderWatcher(
        options.certificate_folder, server.certificate, runtime=runtime, poll_seconds=options.poll_seconds
    )
    readiness.add("webhook", lambda: server.problem)
    try:
        endpoints.start()
        server.start()
        watcher.start()
        started({"webhook": server.port, **endpoints.ports})
        stop.wait()
    finally:
        watcher.stop()
        server.stop(options.grace_seconds)
        listening.close()
        endpoints.stop()
    return 0
