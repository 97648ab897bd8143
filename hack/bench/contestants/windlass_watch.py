"""Windlass: a shared informer with one handler, as a manager runs it."""

import argparse

from prometheus_client import CollectorRegistry

from apis.requeststate.v1 import RequestState
from framework.client import RestClientMetrics, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.informers import InformerOptions
from framework.log import configure_logging
from framework.manager import Manager
from framework.store import Change
from hack.bench.stage import Stage


class CountChanges:
    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def on_change(self, change: Change[RequestState]) -> None:
        if change.is_initial and change.new_entry is not None:
            self._stage.raw_bytes += len(change.new_entry.raw)
        self._stage.count()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kubeconfig")
    parser.add_argument("namespace")
    parser.add_argument("objects", type=int)
    parser.add_argument("events", type=int)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    stage = Stage(objects=options.objects, events=options.events)
    configure_logging()
    registry = CollectorRegistry()
    client = connect(
        from_kubeconfig(options.kubeconfig, clock=SystemClock()),
        metrics=RestClientMetrics(registry),
    )
    manager = Manager(client, registry=registry)
    cached = InformerOptions(namespaces=(options.namespace,), use_watch_list=not options.list)
    manager.informer(RequestState, cached).add_handler(CountChanges(stage))
    stage.ready()
    manager.start()
    stage.wait_for_the_end()


if __name__ == "__main__":
    main()
