"""What is simulated: the processes, the user, and what there is beside the API server."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from apis.meta import Key, KubeObject
from framework.apiserver.controllers import ESSENTIAL, ControllerMaker
from framework.client import Client
from framework.manager import Manager, ManagerOptions
from framework.testing.simulation.bounds import Limits
from framework.testing.simulation.quiet import Quiet

_POLL_SECONDS = 5.0

Register = Callable[[Manager], None]
_COMPANIONS = {name: make for name, make in ESSENTIAL.items() if name != "cluster-roles"}


class Outside(Protocol):
    """State that a controller keeps in another place than the API server."""

    def reset(self) -> None:
        """Begin from nothing: called before each run."""

    def state(self) -> Any:
        """All of it, as what JSON can say."""


class User:
    """Acts through a client of its own, which nothing ever happens to."""

    def __init__(self, client: Client, quiet: Quiet, remote: Mapping[str, Client]) -> None:
        self.client = client
        # Of the remote clusters, by name.
        self.remote = remote
        self._quiet = quiet

    def wait_until_quiet(self) -> None:
        """Until nobody has written anything for as long as the scenario says."""
        self._quiet.wait()

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Look every second whether it *holds*.

        That it never does is a violation, unless the plan deletes what the user made.
        """
        self._quiet.wait_until(holds)

    def wait_until_gone(self, kind: type[KubeObject], key: Key) -> None:
        """Until an object that was deleted is really gone; who is to clean up for it may be away."""
        self.wait_until_quiet()
        while any(each.key == key for each in self.client.list(kind, key.namespace)):
            self._quiet.pass_time(_POLL_SECONDS)


class Scenario(msgspec.Struct, frozen=True):
    # By the name of the process.
    processes: Mapping[str, Register]
    workload: Callable[[User], None]
    # CustomResourceDefinitions, as `apis.schema.crds_of` makes them; of every cluster.
    definitions: Sequence[Mapping[str, Any]] = ()
    # Makes what must be there before anything runs; once for all runs.
    prepare: Callable[[Client], None] | None = None
    outside: Outside | None = None
    # Names of further clusters; processes reach them through `manager.clusters`, as `https://<name>`.
    remotes: Sequence[str] = ()
    # What runs beside the server: all that a controller can wait for.
    companions: Mapping[str, ControllerMaker] = msgspec.field(default_factory=lambda: _COMPANIONS)
    # Of every process, or by its name.
    options: ManagerOptions | Mapping[str, ManagerOptions] = ManagerOptions()
    # Longer than anything in the controllers waits before it writes: a claim, a lease, a retry.
    quiet_seconds: float = 60.0
    # Who has not become quiet after so long, never will.
    limit_seconds: float = 1800.0
    # Paths of the end state that may differ from run to run, as `fnmatch` patterns: who of several did the work.
    masked: Sequence[str] = ()
    # Fields that a user who was drawn leaves alone, such as `spec.state`, because the controllers write them too.
    fixed: Sequence[str] = ()
    # The end depends on when the user acts: a deletion that users hold up, for example. Then nothing of his is deleted
    # at another moment, and no other workload is drawn.
    depends_on_when: bool = False
    # Where values of Secrets belong on purpose, as patterns of `configmaps/default/one: .data.text`, `log: some_event`.
    secrets_belong: Sequence[str] = ()
    limits: Limits = Limits()
    # How long a process that crashed is away.
    down_seconds: float = 1.0

    def options_of(self, process: str) -> ManagerOptions:
        if isinstance(self.options, ManagerOptions):
            return self.options
        return self.options.get(process, ManagerOptions())
