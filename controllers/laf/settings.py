"""What can be chosen about the controllers of laf."""

import msgspec

# Of the Lease of -mode=manager, unless it is told another; the generated role is for this one.
MANAGER_LEASE_NAME = "windlass-manager"


class LafSettings(msgspec.Struct, frozen=True):
    # Where references of Applications and CreationForms to Bundles and Runtimes lead.
    system_namespace: str = "laf-system"
    # The namespace that a CreationForm makes is called this and the appid.
    app_namespace_prefix: str = ""
    appid_length: int = 6
    # How long a CreationForm is kept once it is fulfilled.
    form_ttl_seconds: float = 600.0
    # Everything is looked at this often, whatever happens.
    resync_seconds: float = 600.0
    workers: int = 4
    # Marks what is ours on a remote cluster: a label value. Empty: the uid of the hub's kube-system namespace.
    hub_id: str = ""
    # How often a Cluster that is ready is asked whether it still is, a tenth more or less.
    probe_seconds: float = 30.0
    # So many times in a row it may fail to answer before it is not ready.
    probe_failures: int = 3
    # No request to a remote cluster lasts longer.
    connect_seconds: float = 5.0
    remote_seconds: float = 10.0
    # Whether kubeconfigs may say insecure-skip-tls-verify.
    allow_insecure_clusters: bool = False

    @property
    def share_of_a_cluster(self) -> int:
        """So many workers may be inside calls to one remote cluster."""
        return max(1, self.workers // 2)
