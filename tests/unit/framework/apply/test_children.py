"""What is refused before anything is sent."""

from collections.abc import Callable, Iterable
from typing import Any, cast

import pytest

from apis.core.v1 import ConfigMap, Pod
from apis.meta import ObjectMeta, Unstructured, resource_type_of
from framework.apply import Desired, OwnedChildren
from framework.client import Client, Codec, Connection
from framework.errors import TerminalError, WindlassError
from framework.listers import Lister
from framework.runtime import ThreadRuntime
from framework.store import Store

OWNER = Pod(metadata=ObjectMeta(name="owner", namespace="here", uid="u"))
CHILD = ConfigMap(metadata=ObjectMeta(name="a"))


class Informer:
    """One whose cache is empty."""

    def __init__(self) -> None:
        self.resource_type = resource_type_of(ConfigMap)
        self.has_synced = True
        self._store = Store(Codec(ConfigMap, self.resource_type).decode, ThreadRuntime())
        self.lister = Lister(self._store)

    def add_index(self, name: str, function: Callable[[Any], Iterable[str]]) -> None:
        self._store.add_index(name, function)


def children(informer: Informer) -> OwnedChildren:
    # Without a connection: whatever is sent fails the test.
    client = Client(cast("Connection", None))
    return OwnedChildren(client, Pod, [informer])


@pytest.mark.parametrize(
    ("desired", "message"),
    [
        ([CHILD, CHILD], "ConfigMap here/a is desired twice"),
        ([ConfigMap()], "has no metadata.name"),
        ([{"metadata": {"name": "a"}}], "must say its apiVersion and kind"),
        ([Unstructured(content={"kind": "ConfigMap"})], "must say its apiVersion and kind"),
        ([Pod(metadata=ObjectMeta(name="a"))], "no informer was given for children of kind Pod in v1"),
        ([{"apiVersion": "v2", "kind": "ConfigMap"}], "no informer was given for children of kind ConfigMap in v2"),
        ([ConfigMap(metadata=ObjectMeta(name="a", namespace="there"))], "an owner must be in the child's namespace"),
    ],
)
def test_what_cannot_be_a_child_is_refused(desired: list[Desired], message: str) -> None:
    with pytest.raises(TerminalError, match=message):
        children(Informer()).converge(OWNER, desired)


def test_a_cache_that_is_not_complete_is_not_judged_by() -> None:
    informer = Informer()
    informer.has_synced = False

    with pytest.raises(WindlassError, match="the cache of configmaps is not complete yet") as failure:
        children(informer).converge(OWNER, [])

    assert not isinstance(failure.value, TerminalError), "it will be"
