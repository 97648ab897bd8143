"""The tests that one ordinarily writes for the controller in `tests/simulation/copies.py`."""

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from framework.errors import ServerError
from tests.simulation import copies
from tests.simulation.ordinary.bench import NAMESPACE, Bench

ONE = Key(NAMESPACE, "one")


@pytest.fixture
def bench() -> Bench:
    made = Bench()
    made.register(copies.register)
    return made


@pytest.fixture
def with_copy(bench: Bench) -> Bench:
    create(bench, "one", "first")
    bench.settle("one")
    return bench


def create(bench: Bench, name: str, text: str) -> None:
    metadata = ObjectMeta(name=name, namespace=NAMESPACE, labels=copies.WANTED)
    bench.client.create(ConfigMap(metadata=metadata, data={"text": text}))


def text_of(bench: Bench, name: str) -> str | None:
    found = bench.map(name)
    return None if found is None else found.data.get("text")


def test_a_copy_is_made(bench: Bench) -> None:
    create(bench, "one", "first")

    bench.settle("one")

    assert text_of(bench, "one-copy") == "first"


def test_the_original_gets_a_finalizer_before_the_copy_is_made(bench: Bench) -> None:
    create(bench, "one", "first")

    bench.reconcile("one")

    assert bench.client.get(ConfigMap, ONE).metadata.finalizers == [copies.FINALIZER]
    assert bench.map("one-copy") is None


def test_who_does_not_ask_gets_no_copy(bench: Bench) -> None:
    bench.client.create(ConfigMap(metadata=ObjectMeta(name="one", namespace=NAMESPACE)))

    bench.settle("one")

    assert bench.maps() == {"one"}


def test_a_name_that_is_not_there_is_no_error(bench: Bench) -> None:
    bench.settle("one")

    assert bench.maps() == set()


def test_a_change_reaches_the_copy(with_copy: Bench) -> None:
    with_copy.client.merge_patch(ConfigMap, ONE, {"data": {"text": "second"}})

    with_copy.settle("one")

    assert text_of(with_copy, "one-copy") == "second"


def test_a_copy_that_somebody_changed_is_restored(with_copy: Bench) -> None:
    with_copy.client.merge_patch(ConfigMap, Key(NAMESPACE, "one-copy"), {"data": {"text": "other"}})

    with_copy.settle("one")

    assert text_of(with_copy, "one-copy") == "first"


def test_a_copy_that_somebody_deleted_comes_back(with_copy: Bench) -> None:
    with_copy.client.delete(ConfigMap, Key(NAMESPACE, "one-copy"))

    with_copy.settle("one")

    assert text_of(with_copy, "one-copy") == "first"


def test_what_is_settled_is_not_written_to(with_copy: Bench) -> None:
    before = with_copy.client.get(ConfigMap, Key(NAMESPACE, "one-copy")).metadata.resource_version

    with_copy.reconcile("one")

    assert with_copy.client.get(ConfigMap, Key(NAMESPACE, "one-copy")).metadata.resource_version == before


def test_a_deleted_original_takes_its_copy_along(with_copy: Bench) -> None:
    with_copy.client.delete(ConfigMap, ONE)

    with_copy.settle("one")

    assert with_copy.maps() == set()


def test_an_original_whose_copy_is_gone_already_can_go(with_copy: Bench) -> None:
    with_copy.client.delete(ConfigMap, Key(NAMESPACE, "one-copy"))
    with_copy.client.delete(ConfigMap, ONE)

    with_copy.settle("one")

    assert with_copy.maps() == set()


def test_the_original_stays_while_its_copy_cannot_be_deleted(with_copy: Bench) -> None:
    with_copy.client.delete(ConfigMap, ONE)

    with with_copy.failing("delete"), pytest.raises(ServerError):
        with_copy.reconcile("one")

    assert with_copy.maps() == {"one", "one-copy"}
    with_copy.settle("one")
    assert with_copy.maps() == set()


def test_a_copy_that_cannot_be_made_is_an_error_and_made_later(bench: Bench) -> None:
    create(bench, "one", "first")
    bench.reconcile("one")

    with bench.failing("create"), pytest.raises(ServerError):
        bench.reconcile("one")

    bench.settle("one")
    assert text_of(bench, "one-copy") == "first"


def test_two_originals_have_two_copies(bench: Bench) -> None:
    create(bench, "one", "first")
    create(bench, "two", "second")

    bench.settle("one")
    bench.settle("two")

    assert (text_of(bench, "one-copy"), text_of(bench, "two-copy")) == ("first", "second")


def test_a_change_of_a_copy_is_a_request_for_its_original() -> None:
    copy = ConfigMap(metadata=ObjectMeta(name="one-copy", namespace=NAMESPACE))

    assert copies.originals_of(copy) == [Request(ONE)]
    assert copies.originals_of(ConfigMap(metadata=ObjectMeta(name="one", namespace=NAMESPACE))) == []
