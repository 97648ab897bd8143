"""The tests that one ordinarily writes for the controller in `tests/simulation/tickets.py`."""

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from framework.errors import ServerError
from tests.simulation import tickets
from tests.simulation.ordinary.bench import NAMESPACE, Bench

ONE = Key(NAMESPACE, "one")


@pytest.fixture
def bench() -> Bench:
    made = Bench()
    made.register(tickets.register)
    return made


def create(bench: Bench, name: str) -> None:
    bench.client.create(ConfigMap(metadata=ObjectMeta(name=name, namespace=NAMESPACE, labels=tickets.WANTED)))


def owners(bench: Bench) -> list[str]:
    labels = [each.metadata.labels for each in bench.client.list(ConfigMap, NAMESPACE)]
    return sorted(each[tickets.TICKET_OF] for each in labels if tickets.TICKET_OF in each)


def test_who_asks_gets_one_ticket(bench: Bench) -> None:
    create(bench, "one")
    create(bench, "two")

    for _ in range(2):
        bench.settle("one")
        bench.settle("two")

    assert owners(bench) == ["one", "two"]


def test_who_gets_a_ticket_is_told(bench: Bench) -> None:
    create(bench, "one")

    bench.settle("one")

    assert bench.client.get(ConfigMap, ONE).metadata.annotations == tickets.TOLD


def test_a_ticket_is_not_made_twice_because_nobody_was_told(bench: Bench) -> None:
    create(bench, "one")
    with bench.failing("merge_patch"), pytest.raises(ServerError):
        bench.reconcile("one")

    bench.settle("one")

    assert owners(bench) == ["one"]


def test_who_does_not_ask_gets_none(bench: Bench) -> None:
    bench.client.create(ConfigMap(metadata=ObjectMeta(name="one", namespace=NAMESPACE)))

    bench.settle("one")

    assert owners(bench) == []


def test_a_ticket_goes_with_who_asked_for_it(bench: Bench) -> None:
    create(bench, "one")
    bench.settle("one")

    bench.client.delete(ConfigMap, ONE)
    bench.settle("one")

    assert owners(bench) == []


def test_a_ticket_that_was_deleted_is_made_again(bench: Bench) -> None:
    create(bench, "one")
    bench.settle("one")

    bench.client.delete_collection(ConfigMap, NAMESPACE, labels=tickets.TICKET_OF)
    bench.settle("one")

    assert owners(bench) == ["one"]


def test_a_ticket_that_cannot_be_made_is_an_error_and_made_later(bench: Bench) -> None:
    create(bench, "one")

    with bench.failing("create"), pytest.raises(ServerError):
        bench.reconcile("one")

    bench.settle("one")
    assert owners(bench) == ["one"]


def test_a_change_of_a_ticket_is_a_request_for_who_asked_for_it() -> None:
    ticket = tickets.Tickets.new_ticket(ONE)

    assert list(tickets.owners_of(ticket)) == [Request(ONE)]
