"""A leader-elected controller as a process of its own: while it leads it writes one ConfigMap again and again.

The writes have no condition, so that nothing but the fence keeps a late one
from being applied. Each is built, then some time passes as if something else
had to be done, then it is sent: who is stopped is mostly stopped with a write
ready. The journal has a line for each time that one is handed to the
transport, with its number and the moment on the monotonic clock, which is the
same for all processes of a machine.
"""

import os
import sys

from apis.core.v1 import ConfigMap
from apis.meta import Key, Request
from framework.client import Access, Client, Observer, connect, current_fence, from_kubeconfig
from framework.clock import Clock, SystemClock
from framework.controller import ControllerOptions, Primary
from framework.informers import InformerOptions
from framework.log import configure_logging
from framework.manager import LeaderOptions, Manager, ManagerOptions, stop_on_signals
from framework.reconcile import Result

# Whole seconds in the API; margin between the end of a term and the next one: 0.6 s.
LEADER = LeaderOptions(lease_seconds=2.0, renew_deadline_seconds=1.4, retry_seconds=0.25)
_BUSY_SECONDS, _PAUSE_SECONDS = 0.04, 0.02


class Journal(Observer):
    def __init__(self, path: str, clock: Clock) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._clock = clock
        self.number = 0

    def sending(self, access: Access) -> None:
        if not access.is_read:
            os.write(self._file, f"{self.number} {self._clock.monotonic()}\n".encode())


class Scribe:
    """Counts its writes, and the terms in which it makes them."""

    def __init__(self, identity: str, client: Client, journal: Journal, clock: Clock) -> None:
        self._identity = identity
        self._client = client
        self._journal = journal
        self._clock = clock
        self._fence: object = None
        self._term = 0

    def reconcile(self, request: Request) -> Result:
        if current_fence() is not self._fence:
            self._fence = current_fence()
            self._term += 1
        self._journal.number += 1
        data = {"writer": self._identity, "number": str(self._journal.number), "term": str(self._term)}
        self._clock.wait(_BUSY_SECONDS)
        self._client.merge_patch(ConfigMap, request.key, {"data": data})
        return Result.after(_PAUSE_SECONDS)


def main(kubeconfig: str, namespace: str, name: str, identity: str, journal: str) -> None:
    configure_logging()
    clock = SystemClock()
    client = connect(from_kubeconfig(kubeconfig, clock=clock))
    options = ManagerOptions(lease=Key(namespace, name), leader=LEADER, identity=identity, grace_period_seconds=5.0)
    manager = Manager(client, options=options)
    informer = manager.informer(ConfigMap, InformerOptions(namespaces=(namespace,), fields=f"metadata.name={name}"))
    written = Journal(journal, clock)
    scribe = Scribe(identity, manager.client_for("scribe").acting_as("scribe", written), written, clock)
    one_at_a_time = ControllerOptions(max_concurrent_reconciles=1)
    manager.add_controller(
        "scribe",
        scribe,
        [Primary(informer, predicates=[lambda change: change.is_initial or change.is_resync])],
        one_at_a_time,
    )
    manager.run(stop_on_signals())


if __name__ == "__main__":
    main(*sys.argv[1:])
