"""What can be seen of accounts from outside."""

from collections.abc import Iterable

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from apis.cfworker.workeraccount import WorkerAccount
from framework.listers import Lister


class ActiveWorkers(Collector):
    """Counted when somebody asks."""

    def __init__(self, accounts: Lister[WorkerAccount]) -> None:
        self._accounts = accounts

    def describe(self) -> Iterable[Metric]:
        return [self._family()]

    def collect(self) -> Iterable[Metric]:
        family = self._family()
        for account in sorted(self._accounts.list(), key=lambda each: each.key):
            serving = [each for each in account.status.workers if each.serving_release]
            family.add_metric([str(account.key)], len(serving))
        return [family]

    def _family(self) -> GaugeMetricFamily:
        return GaugeMetricFamily("workers_active", "Scripts that an account serves", labels=("account",))
