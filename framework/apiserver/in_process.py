"""A client whose server is a function call away."""

from framework.apiserver.server import ADMIN, ApiServer
from framework.apiserver.transport import InProcessTransport
from framework.client import Client, ClusterAddress, Connection, RestClientMetrics, StaticCredentials
from framework.http.exchange import PeerCertificate

_HOST = "in-process"


def in_process_client(
    server: ApiServer, *, user: PeerCertificate = ADMIN, metrics: RestClientMetrics | None = None
) -> Client:
    """A client for *server* in the name of *user*; everything runs in the calling task."""

    def make_transport(_address: ClusterAddress) -> InProcessTransport:
        return InProcessTransport(server, clock=server.clock, runtime=server.runtime, peer=user)

    connection = Connection(
        StaticCredentials(ClusterAddress(f"https://{_HOST}")),
        make_transport=make_transport,
        clock=server.clock,
        runtime=server.runtime,
        random=server.random,
        user_agent="windlass",
        metrics=metrics.for_host(_HOST) if metrics else None,
    )
    return Client(connection)
