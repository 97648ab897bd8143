"""A process with the controller of PeerPods, for tests that kill it: `driver.py KUBECONFIG NAMESPACE SYSTEM`."""

import sys

from controllers.peerpod import register_peerpod
from controllers.peerpods.options import PeerPodOptions
from framework.client import connect, from_kubeconfig
from framework.clock import SystemClock
from framework.manager import Manager, ManagerOptions
from framework.signals import stop_on_signals


def main(kubeconfig: str, namespace: str, system: str) -> None:
    client = connect(from_kubeconfig(kubeconfig, clock=SystemClock()))
    manager = Manager(client, options=ManagerOptions(namespaces=(namespace,)))
    register_peerpod(manager, PeerPodOptions(namespace=system))
    manager.run(stop_on_signals())


if __name__ == "__main__":
    main(*sys.argv[1:])
