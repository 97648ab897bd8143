"""Finalizers against the real API server's rules."""

import pytest

from apis.meta import Key, ObjectMeta
from framework.client import Client
from framework.errors import Conflict, NotFound
from framework.finalizers import Finalizer
from tests.component.apply.stage import Widget
from tests.integration.apply.definitions import install

NAME = "test.windlass.dev/cleanup"


@pytest.fixture
def key(client: Client, namespace: str) -> Key:
    install(client, Widget)
    return client.create(Widget(metadata=ObjectMeta(name="w", namespace=namespace))).key


def test_the_object_stays_until_the_finalizer_is_taken_off(client: Client, key: Key) -> None:
    finalizer = Finalizer(client, Widget, NAME)
    finalizer.ensure(client.get(Widget, key))
    client.delete(Widget, key)
    going = client.get(Widget, key)
    assert finalizer.needs_cleanup(going)

    finalizer.finish(going)

    with pytest.raises(NotFound):
        client.get(Widget, key)
    finalizer.finish(going)


def test_a_finalizer_that_another_put_on_meanwhile_is_not_lost(client: Client, key: Key) -> None:
    stale = client.get(Widget, key)
    other = Finalizer(client, Widget, "other.dev/hold").ensure(stale)
    finalizer = Finalizer(client, Widget, NAME)

    with pytest.raises(Conflict):
        finalizer.ensure(stale)
    finalizer.ensure(other)
    with pytest.raises(Conflict):
        finalizer.finish(stale_with(stale, NAME))
    finalizer.finish(client.get(Widget, key))

    assert client.get(Widget, key).metadata.finalizers == ["other.dev/hold"]


def stale_with(widget: Widget, finalizer: str) -> Widget:
    """*widget* as a cache that saw only our own write would show it."""
    metadata = ObjectMeta(
        name=widget.metadata.name,
        namespace=widget.metadata.namespace,
        uid=widget.metadata.uid,
        resource_version=widget.metadata.resource_version,
        finalizers=[finalizer],
    )
    return Widget(metadata=metadata)


def test_a_namesake_that_came_after_is_not_touched(client: Client, key: Key) -> None:
    finalizer = Finalizer(client, Widget, NAME)
    finalizer.ensure(client.get(Widget, key))
    client.delete(Widget, key)
    going = client.get(Widget, key)
    finalizer.finish(going)
    client.create(Widget(metadata=ObjectMeta(name=key.name, namespace=key.namespace, finalizers=[NAME])))

    with pytest.raises(Conflict):
        finalizer.finish(going)

    assert client.get(Widget, key).metadata.finalizers == [NAME]
    finalizer.finish(client.get(Widget, key))
