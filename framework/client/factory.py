"""Puts a real client together."""

import structlog

from framework.client.client import Client
from framework.client.connection import Connection, host_of
from framework.client.credentials import ClusterAddress, Credentials
from framework.client.curl import CurlTransport, check_tls_material
from framework.client.metrics import RestClientMetrics
from framework.clock import Clock, SystemClock
from framework.randomness import Random, system_random
from framework.runtime import Runtime, ThreadRuntime
from framework.version import program_version

_log = structlog.get_logger("windlass.client")


def connect(
    credentials: Credentials,
    *,
    clock: Clock | None = None,
    runtime: Runtime | None = None,
    random: Random | None = None,
    metrics: RestClientMetrics | None = None,
) -> Client:
    """A client over libcurl; nothing is sent until it is used."""
    clock, runtime = clock or SystemClock(), runtime or ThreadRuntime()

    def make_transport(address: ClusterAddress) -> CurlTransport:
        check_tls_material(address)
        if not address.verify:
            _log.warning("tls_verification_is_off", server=address.server, source="insecure-skip-tls-verify")
        return CurlTransport(address, clock=clock, runtime=runtime)

    connection = Connection(
        credentials,
        make_transport=make_transport,
        clock=clock,
        runtime=runtime,
        random=random or system_random(),
        user_agent=f"windlass/{program_version()}",
        metrics=metrics.for_host(host_of(credentials.address().server)) if metrics else None,
    )
    return Client(connection)
