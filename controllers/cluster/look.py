"""Finds out how a remote cluster is, without letting it have a worker for longer than one request."""

from controllers.cluster.failure import failure_of
from controllers.cluster.link import Link
from controllers.cluster.probe import probe
from framework.client import Client
from framework.clock import Clock
from framework.clusters import ClusterState, RemoteCluster
from framework.errors import ClusterBusy, WindlassError


class Look:
    """Asks a cluster that answers; of one that does not, hears what the framework's own prober has found.

    The prober has a task of its own. So a cluster that hangs is waited for
    once, by the request that finds out.
    """

    def __init__(self, clock: Clock, *, max_concurrent_requests: int) -> None:
        self._clock = clock
        self._max_concurrent_requests = max_concurrent_requests

    def client(self, remote: RemoteCluster) -> Client:
        return remote.client_for("cluster", max_concurrent_requests=self._max_concurrent_requests)

    def at(self, link: Link, remote: RemoteCluster) -> bool:
        """Whether it was time for a look; the outcome is in *link*."""
        health = remote.health
        if health.state is ClusterState.UNKNOWN:
            # The prober is on its way, and whatever it finds is an event.
            return False
        is_open = health.state.takes_requests
        if link.outcome is not None and is_open == link.was_open and self._clock.monotonic() < link.due:
            return False
        if is_open:
            self._ask(link, remote)
        elif health.failures != link.known_failures:
            # Watches that end together fail together: however many failures are new, they are one.
            link.failed(failure_of(health.failure), health.failures)
        link.was_open = remote.health.state.takes_requests
        return True

    def _ask(self, link: Link, remote: RemoteCluster) -> None:
        try:
            link.succeeded(probe(self.client(remote)))
        except ClusterBusy:
            raise
        except WindlassError as error:
            link.failed(failure_of(error), remote.health.failures)
