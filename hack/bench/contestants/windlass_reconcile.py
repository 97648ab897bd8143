"""Windlass: a controller that writes one status for each object; with --plain without what can be switched off."""

import argparse

from prometheus_client import CollectorRegistry

from apis.meta import Request
from apis.requeststate.v1 import RequestState
from framework.client import Client, RestClientMetrics, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.controller import ControllerOptions, Primary
from framework.journal import JournalOptions
from framework.listers import Lister
from framework.log import configure_logging
from framework.manager import Manager, ManagerOptions
from framework.own_writes import Mode
from framework.reconcile import Result
from hack.bench.stage import Stage


class Observe:
    def __init__(self, *, requests: Lister[RequestState], client: Client) -> None:
        self._requests = requests
        self._client = client

    def reconcile(self, request: Request) -> Result:
        found = self._requests.get(request.key)
        if found is None or found.status.observed_generation == found.metadata.generation:
            return Result.await_change()
        self._client.patch_status(found, {"observedGeneration": found.metadata.generation})
        return Result.await_change()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kubeconfig")
    parser.add_argument("namespace")
    parser.add_argument("objects", type=int)
    parser.add_argument("workers", type=int)
    parser.add_argument("--plain", action="store_true")
    given = parser.parse_args()
    stage = Stage(objects=given.objects)
    configure_logging()
    registry = CollectorRegistry()
    client = connect(from_kubeconfig(given.kubeconfig, clock=SystemClock()), metrics=RestClientMetrics(registry))
    journal = JournalOptions(keys=0) if given.plain else JournalOptions()
    options = ManagerOptions(namespaces=(given.namespace,), journal=journal)
    manager = Manager(client, registry=registry, options=options)
    informer = manager.informer(RequestState)
    reconciler = Observe(requests=informer.lister, client=manager.client_for("observe"))
    own_writes: Mode = "off" if given.plain else "overlay"
    of_controller = ControllerOptions(max_concurrent_reconciles=given.workers, own_writes=own_writes)
    manager.add_controller("observe", reconciler, [Primary(informer)], of_controller)
    stage.ready()
    manager.start()
    stage.wait_for_the_end()


if __name__ == "__main__":
    main()
