"""A third controller written by hand: one ticket for every ConfigMap that asks for it, whose name the server makes up.

Only by its label can it be known again, so it counts on the framework: a reconcile sees what was written before it.
"""

from collections.abc import Iterator
from pathlib import Path

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from framework.controller import ControllerOptions, Mapped, Primary
from framework.manager import Manager
from framework.reconcile import Result
from framework.testing.simulation import Scenario, User

NAME = "tickets"
NAMESPACE = "default"
WANTED = {"wants": "ticket"}
TICKET_OF = "ticket-of"
TOLD = {"example.dev/ticket": "yours"}
OPTIONS = ControllerOptions()


class Tickets:
    """Two writes in one reconcile: when the second fails, the first is looked for again."""

    def __init__(self, manager: Manager) -> None:
        self.maps = manager.informer(ConfigMap).lister
        self.client = manager.client_for(NAME)

    def reconcile(self, request: Request) -> Result:
        asking, tickets = self.maps.get(request.key), self.tickets_of(request.key)
        if asking is not None and asking.metadata.labels == WANTED:
            if not tickets:
                self.client.create(self.new_ticket(request.key))
            if asking.metadata.annotations != TOLD:
                self.client.merge_patch(ConfigMap, request.key, {"metadata": {"annotations": TOLD}})
        else:
            for ticket in tickets:
                self.client.delete(ConfigMap, ticket.key, uid=ticket.metadata.uid)
        return Result.await_change()

    def tickets_of(self, key: Key) -> list[ConfigMap]:
        return [each for each in self.maps.list() if each.metadata.labels.get(TICKET_OF) == key.name]

    @staticmethod
    def new_ticket(key: Key) -> ConfigMap:
        labels = {TICKET_OF: key.name}
        return ConfigMap(metadata=ObjectMeta(generate_name="ticket-", namespace=key.namespace, labels=labels))


def owners_of(ticket: ConfigMap) -> Iterator[Request]:
    if name := ticket.metadata.labels.get(TICKET_OF):
        yield Request(Key(ticket.metadata.namespace, name))


def register(manager: Manager) -> None:
    maps = manager.informer(ConfigMap)
    manager.add_controller(NAME, Tickets(manager), [Primary(maps), Mapped(maps, owners_of)], OPTIONS)


def tickets(_folder: Path) -> Scenario:
    return Scenario({"controller": register}, workload)


def workload(user: User) -> None:
    for name in ("kept", "gone"):
        _ask(user, name)
    user.wait_until_quiet()
    _ask(user, "later")
    user.wait_until_quiet()
    user.client.delete(ConfigMap, Key(NAMESPACE, "gone"))


def _ask(user: User, name: str) -> None:
    user.client.create(ConfigMap(metadata=ObjectMeta(name=name, namespace=NAMESPACE, labels=WANTED)))
