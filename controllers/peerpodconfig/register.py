"""Puts the controller of PeerPodConfigs into a manager."""

from importlib.metadata import entry_points

from apis.apps.v1 import DaemonSet
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import ConfigMap, Namespace, Node, Secret, ServiceAccount
from apis.events.v1 import Event
from apis.meta import Unstructured, resource_type_of
from controllers.peerpodconfig.changes import config_changes_allocation, node_changes_allocation
from controllers.peerpodconfig.concerned import Concerned
from controllers.peerpodconfig.metrics import ConfigMetrics
from controllers.peerpodconfig.reconciler import PeerPodConfigReconciler
from controllers.peerpodconfig.seams import Objects
from controllers.peerpodconfig.webhook import webhook_informers, webhook_rights, webhook_rollout
from controllers.peerpods.options import PeerPodOptions
from framework.controller import ControllerOptions, Mapped, Primary, Source
from framework.informers import InformerOptions, SharedInformer
from framework.manager import Manager
from framework.rights import Right
from framework.store import keep_declared
from framework.workqueue import ExponentialPerItem

NAME = "peerpodconfig"
PROVIDERS = "peerpods.cloud_providers"
FIRST_RETRY_SECONDS, LONGEST_RETRY_SECONDS = 1.0, 300.0
_CONFIGS, _NODES = resource_type_of(PeerPodConfig), resource_type_of(Node)


def register_peerpodconfig(
    manager: Manager,
    options: PeerPodOptions,
) -> None:
    follow = _Followed(manager, options)
    reconciler = PeerPodConfigReconciler(
        manager.client_for(NAME),
        options,
        manager.recorder_for(NAME),
        manager.clock,
        runtime=manager.runtime,
        objects=follow.objects,
        webhook=webhook_rollout(manager, options, NAME),
        metrics=ConfigMetrics(manager.registry),
        providers=[each.name for each in entry_points(group=PROVIDERS)],
    )
    controller_options = ControllerOptions(
        # One: what one config gets depends on all others.
        max_concurrent_reconciles=1,
        rate_limiter=ExponentialPerItem(FIRST_RETRY_SECONDS, LONGEST_RETRY_SECONDS),
        rights=(*_rights(options), *webhook_rights(options)),
    )
    of_webhook = [Mapped(each, follow.concerned.everybody) for each in webhook_informers(manager, options)]
    manager.add_controller(NAME, reconciler, [*follow.sources, *of_webhook], controller_options)


class _Followed:
    """What is watched, and whom a change concerns."""

    def __init__(self, manager: Manager, options: PeerPodOptions) -> None:
        here = (options.namespace,)
        self._configs: SharedInformer[Unstructured] = manager.informer(_CONFIGS)
        nodes = manager.informer(Node, InformerOptions(transform=keep_declared(Node)))
        config_maps = manager.informer(ConfigMap, InformerOptions(namespaces=here))
        # The values are needed: they say which cloud it is, and whether the adaptor must be restarted.
        secrets = manager.informer(Secret, InformerOptions(namespaces=here, keeps_secret_values=True))
        daemon_sets = manager.informer(DaemonSet, InformerOptions(namespaces=here))
        account = f"metadata.name={options.adaptor_service_account}"
        service_accounts = manager.informer(ServiceAccount, InformerOptions(namespaces=here, fields=account))
        self.concerned = concerned = Concerned(self._configs.lister)
        self.objects = Objects(
            configs=self._configs.lister,
            nodes=nodes.lister,
            config_maps=config_maps.lister,
            secrets=secrets.lister,
            daemon_sets=daemon_sets.lister,
            service_accounts=service_accounts.lister,
        )
        self.sources: list[Source] = [
            Primary(self._configs, resync_seconds=options.resync_seconds),
            Mapped(self._configs, concerned.everybody, predicates=[config_changes_allocation]),
            Mapped(
                nodes,
                concerned.by_node,
                predicates=[node_changes_allocation(options.extended_resource)],
                after_seconds=options.gather_seconds,
            ),
            Mapped(config_maps, concerned.by_config_map),
            Mapped(secrets, concerned.by_secret),
            Mapped(daemon_sets, concerned.by_daemon_set),
            Mapped(service_accounts, concerned.everybody),
        ]


def _rights(options: PeerPodOptions) -> tuple[Right, ...]:
    here = options.namespace
    daemon_sets = resource_type_of(DaemonSet)
    return (
        Right("patch", _CONFIGS),
        Right("patch", _CONFIGS, "status"),
        # To own what is in their namespace, where the server asks for it.
        Right("update", _CONFIGS, "finalizers"),
        Right("patch", _NODES),
        Right("patch", _NODES, "status"),
        *(Right(verb, daemon_sets, namespace=here) for verb in ("create", "patch", "delete")),
        Right("create", resource_type_of(ServiceAccount), namespace=here),
        # Not by a Role in it, which would go with it.
        Right("get", resource_type_of(Namespace), name=here, place="all", is_optional=True),
        *(Right(verb, resource_type_of(Event), is_optional=True) for verb in ("create", "patch")),
    )
