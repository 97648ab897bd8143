"""Remote clusters that come, go and change their credentials while the process runs.

Guarantees: through one client at most `max_concurrent_requests` requests to a
cluster are under way, none lasts longer than `request_seconds`, and none is
sent while the cluster is known not to answer; what is refused fails at once,
so that a cluster that hangs takes its share of the workers, once, and nothing
more. Whether it answers again is found out by a task of its own. A client, an
informer and a RemoteCluster stay the same when credentials are replaced: no
token meets a server that it is not for, and no version of one server is
compared with that of another. A kubeconfig from an object runs nothing, reads
no file, and fails with the name of the field. Nothing here ever waits for a
cluster, except whoever sends a request.
Not guaranteed: that a cache is up to date while its cluster does not answer;
it is what it was. That two servers with the same data, such as one restored
from a copy of the other, are told apart object by object.
"""

from framework.clusters.cluster import RemoteCluster
from framework.clusters.clusters import ClusterFollower, Clusters, ConnectionFactory
from framework.clusters.health import ClusterState, Health
from framework.clusters.kubeconfig import InlineCredentials, credentials_from_kubeconfig
from framework.clusters.metrics import ClusterMetrics
from framework.clusters.options import ClusterOptions

__all__ = [
    "ClusterFollower",
    "ClusterMetrics",
    "ClusterOptions",
    "ClusterState",
    "Clusters",
    "ConnectionFactory",
    "Health",
    "InlineCredentials",
    "RemoteCluster",
    "credentials_from_kubeconfig",
]
