"""O4: a cache that goes back, or that is not what the server has once all is quiet, is found."""

from collections.abc import Callable

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from framework.controller import Primary
from framework.informers import InformerOptions
from framework.manager import Manager
from framework.reconcile import Result
from framework.store import Change, Entry, Store, keep_fields
from framework.testing.simulation import Plan, Scenario, Simulation, User

ONE, TWO = Key("default", "one"), Key("default", "two")
WRONG = "O4: controller: the cluster is quiet, and the cache of configmaps is wrong:"
OPTIONS = {
    "a namespace": InformerOptions(namespaces=("default",)),
    "another namespace": InformerOptions(namespaces=("kube-system",)),
    "labels": InformerOptions(labels="color=red"),
    "fields": InformerOptions(fields="metadata.name=two"),
    "metadata": InformerOptions(metadata_only=True),
    "a projection": InformerOptions(transform=keep_fields("data.text")),
}


def workload(user: User) -> None:
    for key in (ONE, TWO):
        metadata = ObjectMeta(name=key.name, namespace=key.namespace, labels={"color": "red"})
        user.client.create(ConfigMap(metadata=metadata, data={"text": "first", "more": "text"}))
    user.wait_until_quiet()
    user.client.merge_patch(ConfigMap, ONE, {"metadata": {"labels": {"color": "blue"}}})
    user.client.delete(ConfigMap, TWO)


def complaints(
    reconcile: Callable[[ConfigMap], None] = lambda _: None, options: InformerOptions | None = None
) -> list[str]:
    class Reconciler:
        def __init__(self, manager: Manager) -> None:
            self._maps = manager.informer(ConfigMap, options).lister

        def reconcile(self, request: Request) -> Result:
            if (found := self._maps.get(request.key)) is not None:
                reconcile(found)
            return Result.await_change()

    def register(manager: Manager) -> None:
        manager.add_controller("test", Reconciler(manager), [Primary(manager.informer(ConfigMap, options))])

    outcome = Simulation(Scenario({"controller": register}, workload)).run(Plan())
    return [str(each) for each in outcome.violations]


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_a_cache_is_compared_with_what_it_is_for(options: InformerOptions) -> None:
    assert complaints(options=options) == []


def test_a_cache_that_misses_a_deletion_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    apply = Store._apply
    monkeypatch.setattr(Store, "_apply", lambda self, _, *rest: apply(self, "MODIFIED", *rest))

    assert complaints() == [f"{WRONG} default/two is there, and was deleted"]


def test_a_cache_that_misses_an_object_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    put = Store._put

    def forgetful(self: Store[ConfigMap], old: Entry | None, new: Entry, changes: list[Change[ConfigMap]]) -> None:
        if new.key != ONE:
            put(self, old, new, changes)

    monkeypatch.setattr(Store, "_put", forgetful)

    assert complaints() == [f"{WRONG} default/one is missing"]


def test_a_cache_that_goes_back_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    put = Store._put

    def backwards(self: Store[ConfigMap], old: Entry | None, new: Entry, changes: list[Change[ConfigMap]]) -> None:
        put(self, old, new, changes)
        if old is not None:
            put(self, new, old, changes)
            put(self, old, new, changes)

    monkeypatch.setattr(Store, "_put", backwards)

    assert [text for text in complaints() if text.startswith("O4: the cache of configmaps went back from ")]


def test_a_reader_that_changes_what_it_read_is_found() -> None:
    def reconcile(found: ConfigMap) -> None:
        dict.update(found.data, text="mine")

    assert complaints(reconcile) == [f"{WRONG} default/one was changed by who read it"]
