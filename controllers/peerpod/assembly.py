"""Puts the reconciler together from what it is given: a manager is one who can give it."""

import msgspec

from apis.confidentialcontainers.peerpod import PeerPod
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import ConfigMap, Secret
from controllers.peerpod.arrivals import Arrivals
from controllers.peerpod.calls import Calls
from controllers.peerpod.candidates import Candidates
from controllers.peerpod.cleanup import ACTION, Cleanup
from controllers.peerpod.clients import Clients
from controllers.peerpod.deletion import Deletion
from controllers.peerpod.grace import Grace
from controllers.peerpod.limiter import Limiter
from controllers.peerpod.location import Locator
from controllers.peerpod.metrics import DeletionMetrics
from controllers.peerpod.pace import Paces
from controllers.peerpod.registry import Registry
from controllers.peerpod.states import PeerPodStates
from controllers.peerpods.listing import Indexed, Listing
from controllers.peerpods.options import PeerPodOptions
from controllers.reporting.recorder import RelatingRecorder
from controllers.reporting.status_writer import StatusWriter
from framework.client import Client
from framework.clock import Clock
from framework.randomness import Random
from framework.runtime import Event, Runtime


class Parts(msgspec.Struct, frozen=True):
    peer_pods: Indexed[PeerPod]
    configs: Listing[PeerPodConfig]
    config_maps: Listing[ConfigMap]
    secrets: Listing[Secret]
    client: Client
    recorder: RelatingRecorder
    registry: Registry
    options: PeerPodOptions
    clock: Clock
    runtime: Runtime
    random: Random
    # Set when the process ends: nobody waits any longer then.
    stopping: Event
    metrics: DeletionMetrics


def candidates_of(parts: Parts) -> Candidates:
    return Candidates(
        client=parts.client,
        configs=parts.configs,
        config_maps=parts.config_maps,
        secrets=parts.secrets,
        registry=parts.registry,
        namespace=parts.options.namespace,
        extra_providers=parts.options.extra_cloud_providers,
    )


def states_of(parts: Parts, candidates: Candidates, arrivals: Arrivals) -> PeerPodStates:
    client, clock, recorder = parts.client, parts.clock, parts.recorder
    status = StatusWriter[PeerPod](client, recorder, clock, problems=frozenset(), action=ACTION)
    paces = Paces()
    deletion = Deletion(
        candidates=candidates,
        arrivals=arrivals,
        registry=parts.registry,
        clients=Clients(parts.runtime),
        limiter=Limiter(clock, parts.runtime),
        calls=Calls(parts.runtime),
        options=parts.options,
        clock=clock,
        random=parts.random,
        stopping=parts.stopping,
    )
    cleanup = Cleanup(
        peer_pods=parts.peer_pods,
        client=client,
        status=status,
        recorder=recorder,
        candidates=candidates,
        paces=paces,
        grace=Grace(client, clock, parts.options.adaptor_grace_seconds),
        deletion=deletion,
        metrics=parts.metrics,
        clock=clock,
        random=parts.random,
    )
    return PeerPodStates(
        peer_pods=parts.peer_pods,
        client=client,
        status=status,
        recorder=recorder,
        locator=Locator(client, candidates, parts.registry),
        arrivals=arrivals,
        paces=paces,
        cleanup=cleanup,
    )
