"""Puts the controller of PeerPods into a manager that is not ours."""

from collections.abc import Mapping

from prometheus_client import CollectorRegistry

from apis.confidentialcontainers.peerpod import PeerPod
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import ConfigMap, Secret
from controllers.peerpod.indexes import INDEXES
from controllers.peerpod.provider import CloudProvider
from controllers.peerpod.reconciler import Objects, PeerPodReconciler
from controllers.peerpod.register import NAME
from controllers.peerpods.followed import Followed, Resynced, itself
from controllers.peerpods.host import Host, Stop
from controllers.peerpods.listing import Scanned
from controllers.peerpods.options import PeerPodOptions
from framework.clock import Clock, SystemClock
from framework.runtime import Runtime, ThreadRuntime
from framework.workqueue import ExponentialPerItem


def host_peerpod(
    host: Host,
    options: PeerPodOptions,
    providers: Mapping[str, type[CloudProvider]] | None = None,
    *,
    clock: Clock | None = None,
    runtime: Runtime | None = None,
    registry: CollectorRegistry | None = None,
) -> None:
    """*providers* by the name of their cloud; None: those that installed distributions bring."""
    clock, runtime = clock or SystemClock(), runtime or ThreadRuntime()
    peer_pods, configs = Followed(host, PeerPod), Followed(host, PeerPodConfig)
    config_maps, secrets = Followed(host, ConfigMap, options.namespace), Followed(host, Secret, options.namespace)
    stopping = runtime.event()
    reconciler = PeerPodReconciler(
        host.client,
        options,
        providers,
        host.recorder,
        clock,
        runtime=runtime,
        objects=Objects(
            peer_pods=Scanned(peer_pods.listing, INDEXES),
            configs=configs.listing,
            config_maps=config_maps.listing,
            secrets=secrets.listing,
        ),
        metrics=registry,
        stopping=stopping,
    )
    sources = [
        peer_pods.source(itself, matters=reconciler.arrivals.note),
        configs.source(reconciler.waiting.for_config),
        config_maps.source(reconciler.waiting.for_settings),
        secrets.source(reconciler.waiting.for_settings),
    ]
    resynced = Resynced(reconciler, peer_pods.listing, options.resync_seconds)
    host.add_controller(NAME, resynced, sources, options.workers, ExponentialPerItem())

    def tell_the_end(stop: Stop) -> None:
        stop.wait()
        stopping.set()

    host.add_runnable(tell_the_end, leader_only=False)
