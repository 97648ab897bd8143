"""Whether a Cluster still leads to the cluster that it led to before.

A kubeconfig that was exchanged for that of another cluster would make every
deletion look done and every Instance look lost.
"""

from apis.laf.cluster import Cluster
from controllers.cluster.reasons import FORBIDDEN, IDENTITY_CHANGED, not_ready
from controllers.reporting.observation import Observation

ACCEPT_CLUSTER_ID = "laf.dev/accept-cluster-id"


def identity_problem(cluster: Cluster, found: str) -> Observation | None:
    """Why the cluster with the id *found* is not the one that is recorded; None if it is, or is the first one."""
    recorded = cluster.status.cluster_id
    if not recorded or found == recorded:
        return None
    if not found:
        return not_ready(FORBIDDEN, f"get namespaces kube-system: it cannot be told whether this still is {recorded}")
    if cluster.metadata.annotations.get(ACCEPT_CLUSTER_ID) == found:
        return None
    return not_ready(
        IDENTITY_CHANGED,
        f"the kubeconfig leads to cluster {found}, and led to {recorded}; if that is meant, set the annotation "
        f"{ACCEPT_CLUSTER_ID}: {found}",
    )
