"""Windlass: a controller that writes one status for each object."""

import sys

from prometheus_client import CollectorRegistry

from apis.meta import Request
from apis.requeststate.v1 import RequestState
from framework.client import Client, RestClientMetrics, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.controller import ControllerOptions, Primary
from framework.listers import Lister
from framework.log import configure_logging
from framework.manager import Manager, ManagerOptions
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
    kubeconfig, namespace, objects, workers = sys.argv[1:]
    stage = Stage(objects=int(objects))
    configure_logging()
    registry = CollectorRegistry()
    client = connect(from_kubeconfig(kubeconfig, clock=SystemClock()), metrics=RestClientMetrics(registry))
    manager = Manager(client, registry=registry, options=ManagerOptions(namespaces=(namespace,)))
    informer = manager.informer(RequestState)
    reconciler = Observe(requests=informer.lister, client=manager.client_for("observe"))
    options = ControllerOptions(max_concurrent_reconciles=int(workers))
    manager.add_controller("observe", reconciler, [Primary(informer)], options)
    stage.ready()
    manager.start()
    stage.wait_for_the_end()


if __name__ == "__main__":
    main()
