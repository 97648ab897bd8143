"""Changes objects on the real API server, in a process of its own, as fast as a few threads can."""

import sys

from framework.client import connect, from_kubeconfig
from framework.clock import SystemClock
from hack.bench.objects import patch_requests
from hack.bench.stage import Stage


def main() -> None:
    kubeconfig, namespace, count, value = sys.argv[1:]
    stage = Stage(objects=int(count))
    client = connect(from_kubeconfig(kubeconfig, clock=SystemClock()))
    stage.ready()
    patch_requests(client, namespace, int(count), int(value))
    stage.report("written")
    stage.wait_for_the_end()


if __name__ == "__main__":
    main()
