"""What every cluster of a registry is made with."""

from collections.abc import Callable

import msgspec

from framework.client import Observer
from framework.clock import Clock
from framework.clusters.options import ClusterOptions
from framework.informers import InformerMetrics
from framework.randomness import Random
from framework.runtime import Runtime


class Tools(msgspec.Struct, frozen=True):
    clock: Clock
    runtime: Runtime
    random: Random
    options: ClusterOptions
    informer_metrics: InformerMetrics | None
    # Called with the name of a cluster that became reachable or unreachable.
    on_health_change: Callable[[str], None]
    # Who looks on while a controller reads and writes in any remote cluster.
    observers_of: Callable[[str], tuple[Observer, ...]]
