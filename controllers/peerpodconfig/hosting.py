"""Puts the controller of PeerPodConfigs into a manager that is not ours."""

from importlib.metadata import entry_points

import structlog
from prometheus_client import CollectorRegistry

from apis.apps.v1 import DaemonSet
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import ConfigMap, Node, Secret, ServiceAccount
from apis.meta import Request, Unstructured, resource_type_of
from controllers.peerpodconfig.changes import config_changes_allocation, node_changes_allocation
from controllers.peerpodconfig.concerned import Concerned
from controllers.peerpodconfig.metrics import ConfigMetrics
from controllers.peerpodconfig.reconciler import SWEEP, PeerPodConfigReconciler
from controllers.peerpodconfig.register import FIRST_RETRY_SECONDS, LONGEST_RETRY_SECONDS, NAME, PROVIDERS
from controllers.peerpodconfig.seams import Objects, WebhookRollout
from controllers.peerpodconfig.webhook.hosting import hosted_objects, hosted_rollout
from controllers.peerpods.followed import Followed, Resynced, itself
from controllers.peerpods.host import Host, HostSource, Stop
from controllers.peerpods.options import PeerPodOptions
from framework.clock import Clock, SystemClock
from framework.errors import WindlassError
from framework.reconcile import Reconciler, Result
from framework.runtime import Runtime, ThreadRuntime
from framework.workqueue import ExponentialPerItem

_log = structlog.get_logger("windlass.peerpodconfig")


def host_peerpodconfig(
    host: Host,
    options: PeerPodOptions,
    *,
    clock: Clock | None = None,
    runtime: Runtime | None = None,
    registry: CollectorRegistry | None = None,
) -> None:
    clock, runtime = clock or SystemClock(), runtime or ThreadRuntime()
    followed = _Followed(host, options)
    webhook: WebhookRollout = hosted_rollout(host, options, clock)
    reconciler = OneAtATime(
        PeerPodConfigReconciler(
            host.client,
            options,
            host.recorder,
            clock,
            runtime=runtime,
            objects=followed.objects,
            webhook=webhook,
            metrics=ConfigMetrics(registry or CollectorRegistry()),
            providers=[each.name for each in entry_points(group=PROVIDERS)],
        ),
        runtime,
    )
    resynced = Resynced(reconciler, followed.objects.configs, options.resync_seconds)
    limiter = ExponentialPerItem(FIRST_RETRY_SECONDS, LONGEST_RETRY_SECONDS)
    host.add_controller(NAME, resynced, followed.sources, 1, limiter)

    host.add_runnable(lambda stop: _sweep(reconciler, stop, options.resync_seconds), leader_only=True)


def _sweep(reconciler: Reconciler, stop: Stop, every_seconds: float) -> None:
    """Clear up what configs have left, also where there is none any more that would be reconciled."""
    retries = ExponentialPerItem(FIRST_RETRY_SECONDS, LONGEST_RETRY_SECONDS)
    seconds = 0.0
    while not stop.wait(seconds):
        try:
            reconciler.reconcile(SWEEP)
        except WindlassError as error:
            _log.warning("sweep_failed", error=str(error))
            seconds = retries.when(SWEEP)
        else:
            retries.forget(SWEEP)
            seconds = every_seconds


class OneAtATime:
    """What one config gets depends on all others: so the sweep waits for a reconcile, and that for the sweep."""

    def __init__(self, reconciler: PeerPodConfigReconciler, runtime: Runtime) -> None:
        self._reconciler = reconciler
        self._lock = runtime.lock()

    def reconcile(self, request: Request) -> Result:
        with self._lock:
            return self._reconciler.reconcile(request)


class _Followed:
    def __init__(self, host: Host, options: PeerPodOptions) -> None:
        here = options.namespace
        configs = Followed(host, Unstructured, gvk=resource_type_of(PeerPodConfig).gvk)
        nodes = Followed(host, Node)
        config_maps, secrets = Followed(host, ConfigMap, here), Followed(host, Secret, here)
        daemon_sets = Followed(host, DaemonSet, here)
        account = f"metadata.name={options.adaptor_service_account}"
        accounts = Followed(host, ServiceAccount, here, fields=account)
        concerned = Concerned(configs.listing)
        self.objects = Objects(
            configs=configs.listing,
            nodes=nodes.listing,
            config_maps=config_maps.listing,
            secrets=secrets.listing,
            daemon_sets=daemon_sets.listing,
            service_accounts=accounts.listing,
        )
        matters = node_changes_allocation(options.extended_resource)
        self.sources: list[HostSource] = [
            configs.source(itself),
            configs.source(concerned.everybody, matters=config_changes_allocation),
            nodes.source(concerned.by_node, matters=matters, after_seconds=options.gather_seconds),
            config_maps.source(concerned.by_config_map),
            secrets.source(concerned.by_secret),
            daemon_sets.source(concerned.by_daemon_set),
            accounts.source(concerned.everybody),
            *(each.source(concerned.everybody) for each in hosted_objects(host, options)),
        ]
