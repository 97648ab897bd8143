"""The reconciler of PeerPods, for whoever calls it."""

from collections.abc import Mapping

import msgspec
from prometheus_client import CollectorRegistry

from apis.confidentialcontainers.peerpod import PeerPod
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import ConfigMap, Secret
from apis.meta import Request, resource_type_of
from controllers.peerpod.arrivals import Arrivals
from controllers.peerpod.assembly import Parts, candidates_of, states_of
from controllers.peerpod.indexes import INDEXES
from controllers.peerpod.metrics import DeletionMetrics, TerminatingCollector
from controllers.peerpod.provider import CloudProvider
from controllers.peerpod.registry import GivenProviders, InstalledProviders, Registry
from controllers.peerpod.waiting import Waiting
from controllers.peerpods.listing import Indexed, Listing, LiveListing, Scanned
from controllers.peerpods.options import PeerPodOptions
from controllers.reporting.recorder import NoRecorder, RelatingRecorder
from framework.client import Client
from framework.clock import Clock, SystemClock
from framework.randomness import Random, system_random
from framework.reconcile import Result
from framework.runtime import Event, Runtime, ThreadRuntime


class Objects(msgspec.Struct, frozen=True):
    """Where each kind is read from; ConfigMaps and Secrets in the operand namespace."""

    peer_pods: Indexed[PeerPod]
    configs: Listing[PeerPodConfig]
    config_maps: Listing[ConfigMap]
    secrets: Listing[Secret]


def live_objects(client: Client, namespace: str) -> Objects:
    """Without caches: each reconcile asks the server."""
    peer_pods = LiveListing(client, PeerPod, resource_type_of(PeerPod))
    return Objects(
        peer_pods=Scanned(peer_pods, INDEXES),
        configs=LiveListing(client, PeerPodConfig, resource_type_of(PeerPodConfig)),
        config_maps=LiveListing(client, ConfigMap, resource_type_of(ConfigMap), namespace),
        secrets=LiveListing(client, Secret, resource_type_of(Secret), namespace),
    )


class PeerPodReconciler:
    """Needs no running manager: without *objects* it asks the server whenever it looks.

    *providers* by the name of their cloud; None: those that installed distributions bring. *stopping* is set when the
    process ends: nobody waits for a cloud any longer then.
    """

    def __init__(
        self,
        client: Client,
        options: PeerPodOptions,
        providers: Mapping[str, type[CloudProvider]] | None = None,
        recorder: RelatingRecorder | None = None,
        clock: Clock | None = None,
        *,
        runtime: Runtime | None = None,
        random: Random | None = None,
        objects: Objects | None = None,
        metrics: CollectorRegistry | None = None,
        stopping: Event | None = None,
    ) -> None:
        clock, runtime = clock or SystemClock(), runtime or ThreadRuntime()
        objects = objects or live_objects(client, options.namespace)
        metrics = metrics or CollectorRegistry()
        registry: Registry = InstalledProviders() if providers is None else GivenProviders(providers)
        parts = Parts(
            peer_pods=objects.peer_pods,
            configs=objects.configs,
            config_maps=objects.config_maps,
            secrets=objects.secrets,
            client=client,
            recorder=recorder or NoRecorder(),
            registry=registry,
            options=options,
            clock=clock,
            runtime=runtime,
            random=random or system_random(),
            stopping=stopping or runtime.event(),
            metrics=DeletionMetrics(metrics, registry.names),
        )
        metrics.register(TerminatingCollector(objects.peer_pods, parts.metrics))
        candidates = candidates_of(parts)
        # To be told of every PeerPod that comes, before it is reconciled.
        self.arrivals = Arrivals(runtime, clock)
        self.waiting = Waiting(objects.peer_pods, candidates)
        self._states = states_of(parts, candidates, self.arrivals)

    def reconcile(self, request: Request) -> Result:
        return self._states.reconcile(request)
