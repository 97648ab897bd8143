"""Puts the controller of PeerPods into a manager."""

from collections.abc import Mapping

from apis.confidentialcontainers.peerpod import PeerPod
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import ConfigMap, Pod, Secret
from apis.events.v1 import Event
from apis.meta import resource_type_of
from controllers.peerpod.indexes import INDEXES
from controllers.peerpod.location import NODES
from controllers.peerpod.provider import CloudProvider
from controllers.peerpod.reconciler import Objects, PeerPodReconciler
from controllers.peerpods.options import PeerPodOptions
from framework.controller import ControllerOptions, Mapped, Primary, Source
from framework.informers import InformerOptions
from framework.manager import Manager
from framework.rights import Right

NAME = "peerpod"
RECONCILE_SECONDS = 60.0
_PEER_PODS = resource_type_of(PeerPod)


def rights_in(namespace: str) -> tuple[Right, ...]:
    """*namespace* is where the settings of clouds are."""
    return (
        *(Right(verb, _PEER_PODS) for verb in ("get", "patch", "delete")),
        Right("patch", _PEER_PODS, "status"),
        Right("get", resource_type_of(Pod)),
        Right("get", NODES, place="all"),
        *(Right("get", resource_type_of(kind), namespace=namespace) for kind in (ConfigMap, Secret)),
        *(Right(verb, resource_type_of(Event), is_optional=True) for verb in ("create", "patch")),
    )


def register_peerpod(
    manager: Manager, options: PeerPodOptions, providers: Mapping[str, type[CloudProvider]] | None = None
) -> None:
    """*providers* by the name of their cloud; None: those that installed distributions bring."""
    settings_scope = InformerOptions(namespaces=(options.namespace,))
    peer_pods, configs = manager.informer(PeerPod), manager.informer(PeerPodConfig)
    config_maps, secrets = manager.informer(ConfigMap, settings_scope), manager.informer(Secret, settings_scope)
    for name, index in INDEXES.items():
        peer_pods.add_index(name, index)
    stopping = manager.runtime.event()
    manager.before_stop(lambda _seconds: stopping.set())
    reconciler = PeerPodReconciler(
        manager.client_for(NAME),
        options,
        providers,
        manager.recorder_for(NAME),
        manager.clock,
        runtime=manager.runtime,
        random=manager.random,
        objects=Objects(
            peer_pods=peer_pods.lister,
            configs=configs.lister,
            config_maps=config_maps.lister,
            secrets=secrets.lister,
        ),
        metrics=manager.registry,
        stopping=stopping,
    )
    sources: list[Source] = [
        Primary(peer_pods, predicates=[reconciler.arrivals.note], resync_seconds=options.resync_seconds),
        Mapped(configs, reconciler.waiting.for_config),
        Mapped(config_maps, reconciler.waiting.for_settings),
        Mapped(secrets, reconciler.waiting.for_settings),
    ]
    controller = ControllerOptions(
        max_concurrent_reconciles=options.workers,
        reconcile_timeout_seconds=RECONCILE_SECONDS,
        rights=rights_in(options.namespace),
    )
    manager.add_controller(NAME, reconciler, sources, controller)
