"""What can be counted about PeerPodConfigs."""

from contextlib import suppress

from prometheus_client import CollectorRegistry, Counter, Gauge

from apis.meta import Key


class ConfigMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.advertised = Gauge(
            "peerpods_advertised_vms", "VMs that nodes of a PeerPodConfig advertise.", ["config"], registry=registry
        )
        self.patches = Counter("peerpods_node_patches_total", "Writes to nodes.", ["result"], registry=registry)

    def forget(self, config: Key) -> None:
        with suppress(KeyError):
            self.advertised.remove(str(config))
