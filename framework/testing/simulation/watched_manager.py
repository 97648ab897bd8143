"""A Manager that tells what its reconcilers do."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from apis.meta import KubeObject, Request
from framework.client import Kind
from framework.controller import Controller, ControllerOptions, Source
from framework.errors import WindlassError
from framework.informers import InformerOptions, SharedInformer
from framework.manager import Manager
from framework.reconcile import Reconciler, Result
from framework.store import read_notes, set_read_notes
from framework.testing.simulation.caches import OneWay
from framework.testing.simulation.plan import HOME
from framework.testing.simulation.shown import Shown
from framework.testing.simulation.simulated_webhooks import Serve, SimulatedWebhooks
from framework.testing.simulation.site import site_at
from framework.webhooks import Webhooks

T = TypeVar("T", bound=KubeObject)
Report = Callable[[str, str], None]


class WatchedManager(Manager):
    def __init__(self, *arguments: Any, report: Report, shown: Shown, serve: Serve, **options: Any) -> None:
        self._serve = serve
        super().__init__(*arguments, **options)
        self._report_violation = report
        self._shown = shown
        # Whether all its controllers do.
        self.needs_leader = True

    @property
    def informers(self) -> Iterator[tuple[str, SharedInformer[Any]]]:
        """Each with the cluster that it follows."""
        for informer in self._informers.all():
            yield HOME, informer
        for cluster in self.clusters:
            for informer in cluster.informers:
                yield site_at(cluster.server), informer

    @property
    def queued(self) -> int:
        """Keys that are ready, in all queues."""
        depths = (metric for metric in self._queue_metrics.collect() if metric.name == "workqueue_depth")
        return int(sum(sample.value for metric in depths for sample in metric.samples))

    def _new_webhooks(self) -> Webhooks:
        return SimulatedWebhooks(
            self.client,
            self.options.webhooks,
            clock=self.clock,
            runtime=self.runtime,
            registry=self.registry,
            leads=lambda: self.elector is None or self.elector.leading.is_set(),
            serve=self._serve,
        )

    def add_controller(
        self, name: str, reconciler: Reconciler, sources: Sequence[Source], options: ControllerOptions | None = None
    ) -> Controller:
        self.needs_leader = self.needs_leader and (options or ControllerOptions()).needs_leader
        watched = WatchedReconciler(name, reconciler, self._report_violation, self._shown)
        return super().add_controller(name, watched, sources, options)

    def _new_informer(self, kind: Kind[T], options: InformerOptions, name: str) -> SharedInformer[T]:
        informer = super()._new_informer(kind, options, name)
        informer.add_index("simulation", OneWay(name, lambda message: self._report_violation("O4", message)))
        return informer


class WatchedReconciler:
    def __init__(self, name: str, inner: Reconciler, report: Report, shown: Shown) -> None:
        self._name = name
        self._inner = inner
        self._report = report
        self._shown = shown
        self._working: set[Request] = set()

    def reconcile(self, request: Request) -> Result:
        if request in self._working:
            self._report("O5", f"two workers of {self._name} reconcile {request} at the same time")
        self._working.add(request)
        set_read_notes(self._shown.begin(read_notes()))
        try:
            return self._inner.reconcile(request)
        except WindlassError:
            raise
        except Exception as error:
            self._report("O8", f"{self._name} raised {type(error).__name__} for {request}: {error}")
            raise
        finally:
            self._shown.end()
            self._working.discard(request)
