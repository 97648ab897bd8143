"""A manager of your own that hosts both controllers of peer pods beside whatever else it does.

Run it with `python -m examples.peer_pods`, where `windlass install-crds` has been run. Clouds are deleted from by the
plugins that are installed: `pip install windlass[aws]`, or a distribution of yours with an entry point in the group
`peerpods.cloud_providers`. To use others, hand them in: `register_peerpod(manager, options, {"mine": MyProvider})`.
"""

import os
from pathlib import Path

from controllers.peerpod import register_peerpod
from controllers.peerpodconfig import register_peerpodconfig
from controllers.peerpods.options import PeerPodOptions
from framework.client import Client, connect, find_credentials
from framework.manager import Manager, ManagerOptions
from framework.signals import stop_on_signals


def manager_of(client: Client, namespace: str, *, watched: str = "") -> Manager:
    """Settings and operands are in *namespace*; PeerPods and PeerPodConfigs in all namespaces, or in *watched*."""
    options = PeerPodOptions(namespace=namespace, webhook_mode="disabled", adaptor_grace_seconds=30.0)
    manager = Manager(client, options=ManagerOptions(namespaces=(watched,)))
    register_peerpodconfig(manager, options)
    register_peerpod(manager, options)
    return manager


if __name__ == "__main__":
    client = connect(find_credentials(environment=os.environ, home=Path.home()))
    namespace = os.environ.get("PEERPODS_NAMESPACE", "confidential-containers-system")
    manager_of(client, namespace).run(stop_on_signals())
