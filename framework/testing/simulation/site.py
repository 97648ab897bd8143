"""A remote cluster of a run: a store, a server, and what runs beside it."""

import random  # noqa: TID251 - seeded
from collections.abc import Mapping
from functools import cache
from urllib.parse import urlsplit

from framework.apiserver.auth import SigningKey
from framework.apiserver.controllers import ControllerMaker, builtin_controllers
from framework.apiserver.server import ApiServer, ServerOptions
from framework.apiserver.storage import StorageOptions
from framework.testing.simulation.plan import HOME
from framework.testing.simulation.replica import Replica
from framework.testing.simulation.reviews import Reviews
from framework.testing.simulation.runtime import SimulatedClock, SimulatedRuntime
from framework.testing.simulation.store import RecordingJournal, Snapshot

_LONGER_THAN_ANY_RUN = 1e9


def site_at(server: str) -> str:
    """The name of the one that has this address: `https://paris`."""
    return urlsplit(server).hostname or HOME


@cache
def signing_key() -> SigningKey:
    # Its making takes longer than a run, and no outcome depends on it.
    return SigningKey.generate()


class Site:
    def __init__(
        self,
        name: str,
        snapshot: Snapshot | None,
        *,
        seed: int,
        clock: SimulatedClock,
        runtime: SimulatedRuntime,
        webhooks: Reviews,
    ) -> None:
        self.name = name
        self._clock = clock
        # What a run makes must not have the uids of what was there before it.
        source = f"{seed}/prepare" if snapshot is None else f"{seed}/server"
        self.journal = RecordingJournal(snapshot)
        self.journal.elapsed = clock.monotonic
        self.server = ApiServer(
            clock=clock,
            runtime=runtime,
            random=random.Random(f"{source}/{name}" if name else source),  # noqa: S311 - no secret
            journal=self.journal,
            signing_key=signing_key(),
            options=ServerOptions(
                # A server whose cache has stopped answers from what it had then, however long ago that was.
                history=StorageOptions(history_seconds=_LONGER_THAN_ANY_RUN),
                webhook_caller=webhooks,
            ),
        )
        self._replicas: dict[str, Replica] = {}

    def replica_of(self, process: str) -> Replica:
        """The server of this cluster that *process* talks to."""
        if process not in self._replicas:
            self._replicas[process] = Replica(self.server, self._clock)
        return self._replicas[process]

    def start(self, companions: Mapping[str, ControllerMaker]) -> None:
        builtin_controllers(self.server, companions).start()
