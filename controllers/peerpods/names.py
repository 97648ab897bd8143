"""Names that other programs know as well: exactly these."""

EXTENDED_RESOURCE = "kata.peerpods.io/vm"
# On PeerPods, put there by the adaptor, never by us.
PEER_POD_FINALIZER = "peer.pod/finalizer"
CONFIG_FINALIZER = "confidentialcontainers.org/peerpodconfig-cleanup"
# On nodes and operands: the uid of the PeerPodConfig that they belong to.
CONFIG_LABEL = "kata.peerpods.io/config"
MANAGED_BY_LABEL, MANAGED_BY = "app.kubernetes.io/managed-by", "peerpodconfig-controller"
FIELD_MANAGER = "peerpodconfig-controller"
SKIP_VM_DELETION = "kata.peerpods.io/skip-vm-deletion"
RETRY = "kata.peerpods.io/retry"
DAEMON_SET = "peerpodconfig-ctrl-caa-daemon"
CLOUD_PROVIDER = "CLOUD_PROVIDER"
KNOWN_PROVIDERS = (
    "aws",
    "azure",
    "gcp",
    "ibmcloud",
    "ibmcloud-powervs",
    "libvirt",
    "vsphere",
    "alibabacloud",
    "byom",
    "docker",
)
