"""How much of this process a remote cluster may take."""

import msgspec

from framework.client import Timeouts
from framework.errors import ConfigurationError


class ClusterOptions(msgspec.Struct, frozen=True):
    """The same for all clusters of a process."""

    # No request of a reconciler lasts longer, whatever is sent again; that of an informer has its own limits.
    connect_seconds: float = 5.0
    request_seconds: float = 10.0
    # So many requests to one cluster may be under way through one client; the next one is refused at once.
    max_concurrent_requests: int = 4
    # How often a cluster that answers is asked whether it still does; None: only when a request failed.
    probe_seconds: float | None = 30.0
    # How often one that does not answer is asked whether it does again.
    retry_seconds: float = 5.0
    # Whether a cluster that does not answer makes this process unready. It would take the others with it.
    gate_readiness: bool = False

    def __post_init__(self) -> None:
        if self.max_concurrent_requests < 1:
            raise ConfigurationError(f"a cluster needs at least one request, not {self.max_concurrent_requests}")
        given = (self.connect_seconds, self.request_seconds, self.retry_seconds, self.probe_seconds or 1.0)
        if not all(seconds > 0 for seconds in given):
            raise ConfigurationError("the times of a cluster must be more than 0 seconds")

    @property
    def timeouts(self) -> Timeouts:
        limit = self.request_seconds
        return Timeouts(
            min(self.connect_seconds, limit), headers_seconds=limit, idle_seconds=limit, total_seconds=limit
        )
