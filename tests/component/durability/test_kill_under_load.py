"""Proof that an answered write survives `kill -9`: 200 rounds, each at a random moment under load."""

from collections.abc import Sequence
from random import Random  # noqa: TID251 - a seed repeats the choices
from typing import Any

import pytest

from framework.clock import SystemClock
from framework.runtime import ThreadRuntime
from tests.component.durability.durable_server import DurableServer
from tests.component.durability.ledger import Entry, Kind, Ledger, State, state_of
from tests.component.durability.watcher import Watcher
from tests.component.durability.writer import Writer

# In each of eight tests.
ROUNDS = 25
_LOAD_LIMIT_SECONDS = 20.0
_GROUP = "durability.example.com"
CONFIG_MAPS = Kind("/api/v1/namespaces/default/configmaps", "v1", "ConfigMap", has_status=False)
THINGS = Kind(f"/apis/{_GROUP}/v1/namespaces/default/things", f"{_GROUP}/v1", "Thing", has_status=True)
_OBJECT = {"type": "object", "properties": {"number": {"type": "integer"}, "filler": {"type": "string"}}}
_DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"things.{_GROUP}"},
    "spec": {
        "group": _GROUP,
        "scope": "Namespaced",
        "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": _OBJECT, "status": _OBJECT}}},
                "subresources": {"status": {}},
            }
        ],
    },
}


class Load:
    """Writers and watchers that outlive the server."""

    def __init__(self, server: DurableServer, seed: int) -> None:
        self._server = server
        self._random = Random(seed)  # noqa: S311 - no secret
        runtime = ThreadRuntime()
        self._clock = SystemClock()
        self.ledger = Ledger(runtime.lock())
        self.writers = [
            Writer(_entries(kind, number), self.ledger, Random(f"{seed} {number}"), runtime)  # noqa: S311 - no secret
            for number, kind in enumerate((CONFIG_MAPS, THINGS, CONFIG_MAPS, THINGS))
        ]
        self.watchers = {kind.name: Watcher(kind, self.ledger, runtime) for kind in (CONFIG_MAPS, THINGS)}

    def start(self) -> None:
        for watcher in self.watchers.values():
            watcher.start(self._server)
        for writer in self.writers:
            writer.start(self._server.wire())

    def kill_after_some_writes(self) -> None:
        wanted = self.ledger.answered + self._random.randrange(120)
        limit = self._clock.monotonic() + _LOAD_LIMIT_SECONDS
        while self.ledger.answered < wanted and self._clock.monotonic() < limit:
            self._clock.wait(0.002)
        self._clock.wait(self._random.uniform(0, 0.01))
        self._server.kill()
        for writer in self.writers:
            writer.join()
        self._join_watchers()

    def kill_when_all_is_quiet(self) -> None:
        """The watcher of the kind that was written last has seen everything, and can go on from there."""
        for writer in self.writers:
            writer.finish()
        watcher = self.watchers[CONFIG_MAPS.name]
        wire = self._server.wire()
        self.writers[0].write_once(wire)
        watcher.wait_for(int(wire.send("GET", CONFIG_MAPS.path).content["metadata"]["resourceVersion"]))
        wire.close()
        self._server.kill()
        self._join_watchers()
        watcher.must_resume = True

    def _join_watchers(self) -> None:
        for watcher in self.watchers.values():
            watcher.join()

    def check(self) -> None:
        """Everything that was answered is there, whole, under its own revision; take over what was under way."""
        wire = self._server.wire()
        for kind in (CONFIG_MAPS, THINGS):
            content = wire.send("GET", kind.path).content
            assert int(content["metadata"]["resourceVersion"]) >= self.ledger.highest
            found = {item["metadata"]["name"]: item for item in content["items"]}
            for entry in self._entries_of(kind):
                _check_entry(entry, found.pop(entry.name, None))
            assert not found, "nobody has written these"
        wire.close()

    def _entries_of(self, kind: Kind) -> list[Entry]:
        return [entry for writer in self.writers for entry in writer.entries if entry.kind == kind]


def _check_entry(entry: Entry, obj: dict[str, Any] | None) -> None:
    state: State | None = None if obj is None else state_of(entry.kind, obj)
    revision = 0 if obj is None else int(obj["metadata"]["resourceVersion"])
    assert entry.is_explained_by(state, revision), (
        f"{entry.name} is {state} at {revision}; answered was {entry.state} at {entry.revision}, sent {entry.sent}"
    )
    entry.settle(state, revision)


def _entries(kind: Kind, writer: int) -> Sequence[Entry]:
    return [Entry(kind, f"of-{writer}-{number}") for number in range(5)]


@pytest.mark.parametrize("seed", range(8))
def test_every_answered_write_survives_a_kill_and_no_watcher_misses_or_repeats_an_event(
    server: DurableServer, seed: int
) -> None:
    wire = server.wire()
    assert wire.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", _DEFINITION).code == 201
    wire.close()
    load = Load(server, seed)

    for number in range(ROUNDS):
        load.start()
        if number % 5 == 4:
            load.kill_when_all_is_quiet()
        else:
            load.kill_after_some_writes()
        server.start()
        load.check()

    assert load.ledger.answered > ROUNDS * 20
