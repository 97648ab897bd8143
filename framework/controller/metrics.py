"""The `controller_runtime_*` metrics, so that existing dashboards and alerts work."""

from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

Outcome = Literal["success", "error", "requeue", "requeue_after"]
OUTCOMES: tuple[Outcome, ...] = ("success", "error", "requeue", "requeue_after")
# fmt: off
_SECONDS = (
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0,
    1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
)
# fmt: on


class ControllerMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.total = Counter(
            "controller_runtime_reconcile_total", "Reconciles by result", ["controller", "result"], registry=registry
        )
        self.errors = self._counter("reconcile_errors_total", "Reconciles that failed, terminally or not", registry)
        self.terminal = self._counter("terminal_reconcile_errors_total", "Reconciles that failed for good", registry)
        self.panics = self._counter(
            "reconcile_panics_total", "Reconciles that raised something else than a WindlassError", registry
        )
        self.timeouts = self._counter("reconcile_timeouts_total", "Reconciles that ran into their timeout", registry)
        self.gated = Counter(
            "windlass_reconcile_gated_total",
            "Reconciles put off because a cache did not show the writes of the last one",
            ["controller"],
            registry=registry,
        )
        self.seconds = Histogram(
            "controller_runtime_reconcile_time_seconds",
            "Length of a reconcile",
            ["controller"],
            buckets=_SECONDS,
            registry=registry,
        )
        self.max_concurrent = self._gauge("max_concurrent_reconciles", "Workers of a controller", registry)
        self.active = self._gauge("active_workers", "Workers that reconcile now", registry)

    def for_controller(self, name: str, workers: int) -> "ControllerMeasure":
        return ControllerMeasure(self, name, workers)

    @staticmethod
    def _counter(name: str, text: str, registry: CollectorRegistry) -> Counter:
        return Counter(f"controller_runtime_{name}", text, ["controller"], registry=registry)

    @staticmethod
    def _gauge(name: str, text: str, registry: CollectorRegistry) -> Gauge:
        return Gauge(f"controller_runtime_{name}", text, ["controller"], registry=registry)


class ControllerMeasure:
    """The metrics of one controller; every series exists from the start."""

    def __init__(self, metrics: ControllerMetrics, name: str, workers: int) -> None:
        self._outcomes = {outcome: metrics.total.labels(name, outcome) for outcome in OUTCOMES}
        self.errors = metrics.errors.labels(name)
        self.terminal = metrics.terminal.labels(name)
        self.panics = metrics.panics.labels(name)
        self.timeouts = metrics.timeouts.labels(name)
        self.gated = metrics.gated.labels(name)
        self.seconds = metrics.seconds.labels(name)
        self.active = metrics.active.labels(name)
        metrics.max_concurrent.labels(name).set(workers)

    def finished(self, outcome: Outcome) -> None:
        self._outcomes[outcome].inc()
