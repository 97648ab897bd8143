"""Informers as their users see them, on a real server."""

from collections.abc import Iterator
from functools import partial

import msgspec
import pytest

from apis.core.v1 import Secret
from apis.meta import Key, PartialObject
from framework.client import Client
from framework.runtime import ThreadRuntime
from framework.store import Change, drop_managed_fields
from framework.testing.relay import EndCleanly, Fault, Relay
from tests.conftest import Kubectl
from tests.integration.informers.conftest import Observe
from tests.integration.informers.harness import WATCH, Observed, Recorder, Writer, versions


@pytest.fixture
def second_namespace(kubectl: Kubectl, namespace: str) -> Iterator[str]:
    name = f"{namespace}-second"
    kubectl("create", "namespace", name, check=True)
    yield name
    kubectl("delete", "namespace", name, "--wait=false")


class BlockedHandler(Recorder):
    """Stays in its first change until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = ThreadRuntime().event()

    def on_change(self, change: Change[Secret]) -> None:
        self.go_on.wait(30)
        super().on_change(change)


def test_changes_of_an_object_come_in_order_with_what_was_before(observe: Observe, writer: Writer) -> None:
    observed = observe(use_watch_list=True).synced()

    writer.create("a")
    for number in range(5):
        writer.annotate("a", str(number))
    writer.delete("a")

    observed.recorder.wait_for("+a", *["~a"] * 5, "-a")
    values = [
        tuple(one and one.metadata.annotations.get("value") for one in (change.old, change.new))
        for change in observed.recorder.changes
    ]
    assert values == [(None, None), (None, "0"), ("0", "1"), ("1", "2"), ("2", "3"), ("3", "4"), ("4", None)]


def test_a_blocked_handler_holds_up_neither_another_nor_the_cache(observe: Observe, writer: Writer) -> None:
    observed = observe().synced()
    blocked = BlockedHandler()
    registration = observed.informer.add_handler(blocked)

    writer.create("a")
    writer.create("b")
    observed.recorder.wait_for("+a", "+b")
    state = blocked.texts, registration.queued, observed.cached
    blocked.go_on.set()

    assert state == ([], 2, {"a", "b"})
    blocked.wait_for("+a", "+b")


def test_a_late_handler_hears_of_everything_once(observe: Observe, writer: Writer) -> None:
    writer.create("a")
    observed = observe().synced()
    writer.create("b")
    observed.recorder.wait_for("+a", "+b")

    late = Recorder()
    registration = observed.informer.add_handler(late)
    writer.create("c")

    late.wait_until(lambda: len(late.changes) >= 3)
    assert sorted(late.texts) == ["+a", "+b", "+c"]
    assert [change.is_initial for change in late.changes] == [True, True, False]
    assert registration.has_synced


def test_an_informer_that_is_stopped_and_started_catches_up_and_never_goes_back(
    observe: Observe, writer: Writer
) -> None:
    writer.create("kept")
    writer.create("deleted")
    observed = observe(use_watch_list=True).synced()
    version = observed.informer.version
    observed.recorder.changes.clear()

    observed.informer.stop()
    writer.delete("deleted")
    writer.create("created")
    while_stopped = observed.cached
    observed.synced()

    observed.wait_until(lambda: len(observed.recorder.changes) >= 2)
    assert while_stopped == {"kept", "deleted"}
    assert sorted(observed.recorder.texts) == ["+created", "-deleted"]
    assert observed.watch_lists[1].query["resourceVersion"] == str(version)
    assert observed.watch_lists[1].query["resourceVersionMatch"] == "NotOlderThan"
    assert observed.informer.version > version


def test_an_object_that_leaves_the_label_selector_is_deleted_and_one_that_enters_is_created(
    observe: Observe, writer: Writer
) -> None:
    writer.create("a", labels={"value": "in"})
    writer.create("b", labels={"value": "out"})
    observed = observe(labels="value=in").synced()

    writer.label("a", "out")
    writer.label("b", "in")

    observed.recorder.wait_for("+a", "-a", "+b")
    assert observed.cached == {"b"}
    assert all(request.query["labelSelector"] == "value=in" for request in observed.relay.requests)


def test_a_field_selector_is_for_lists_and_watches(observe: Observe, writer: Writer) -> None:
    writer.create("a")
    writer.create("b")
    observed = observe(fields="metadata.name=a").synced()

    writer.annotate("b", "x")
    writer.annotate("a", "x")

    observed.recorder.wait_for("+a", "~a")


def test_several_namespaces_are_one_cache(
    observe: Observe, writer: Writer, client: Client, namespace: str, second_namespace: str
) -> None:
    second = Writer(client, second_namespace)
    writer.create("a")
    second.create("a")
    observed = observe(namespaces=(namespace, second_namespace), use_watch_list=True).start()
    observed.wait_until(lambda: observed.registration.has_synced)

    writer.delete("a")
    second.create("b")

    observed.wait_until(lambda: len(observed.recorder.changes) >= 4)
    assert {str(one.key) for one in observed.informer.lister.list()} == {
        f"{second_namespace}/a",
        f"{second_namespace}/b",
    }
    assert [one.metadata.name for one in observed.informer.lister.list(namespace)] == []


def test_metadata_alone_is_enough(observe: Observe, writer: Writer, relay: Relay) -> None:
    relay.inject(Fault(WATCH, EndCleanly(after_events=1)))
    writer.create("a", labels={"app": "x"})
    observed = observe(metadata_only=True).synced()

    writer.create("b", labels={"app": "y"})
    writer.create("c", labels={"app": "y"})

    observed.recorder.wait_for("+a", "+b", "+c")
    cached = observed.informer.lister.list(labels="app=y")
    assert {type(one) for one in cached} == {PartialObject}
    assert {one.metadata.name for one in cached} == {"b", "c"}
    assert all(b'"type":"Opaque"' not in entry.raw for entry in observed.informer._store.entries())


def test_a_transform_is_for_listed_and_watched_objects(observe: Observe, writer: Writer) -> None:
    writer.create("a")
    observed = observe(transform=drop_managed_fields).synced()

    writer.create("b")

    observed.recorder.wait_for("+a", "+b")
    stored = [msgspec.json.decode(entry.raw) for entry in observed.informer._store.entries()]
    assert [one["type"] for one in stored] == ["Opaque", "Opaque"]
    assert not any("managedFields" in one["metadata"] for one in stored)


def test_an_index_may_be_added_before_and_after_the_start(observe: Observe, writer: Writer) -> None:
    def by_value(secret: Secret) -> list[str]:
        return [secret.metadata.labels["value"]]

    writer.create("a", labels={"value": "x"})
    observed = observe()
    observed.informer.add_index("early", by_value)
    observed.synced()
    observed.informer.add_index("late", by_value)

    writer.create("unlabelled")
    writer.create("b", labels={"value": "x"})
    writer.label("a", "y")

    observed.recorder.wait_for("+a", "+unlabelled", "+b", "~a")
    for index in ("early", "late"):
        assert [one.key for one in observed.informer.lister.by_index(index, "x")] == [Key(writer.namespace, "b")]
        assert [one.key for one in observed.informer.lister.by_index(index, "y")] == [Key(writer.namespace, "a")]


def test_what_a_lister_returns_cannot_be_changed(observe: Observe, writer: Writer) -> None:
    writer.create("a")
    observed = observe().synced()

    (found,) = observed.informer.lister.list()

    with pytest.raises(AttributeError, match="immutable type"):
        found.type = "other"
    assert found is observed.informer.lister.get(Key(writer.namespace, "a"))


def test_a_burst_of_writes_during_the_initial_stream_is_seen_to_its_end(observe: Observe, writer: Writer) -> None:
    runtime = ThreadRuntime()
    for number in range(20):
        writer.create(f"before-{number}")

    def write() -> None:
        for number in range(20):
            writer.create(f"during-{number}")
            writer.annotate(f"before-{number}", "x")
            writer.delete(f"before-{number}")

    task = runtime.spawn("writer", write)
    informers = [observe(use_watch_list=True).start() for _ in range(4)]
    task.join(30)

    expected = {f"during-{number}" for number in range(20)}
    for observed in informers:
        observed.wait_until(partial(_is_cached, observed, expected))
        assert observed.informer.ignored_events == 0
        assert versions(observed.watches) == []


def _is_cached(observed: Observed, expected: set[str]) -> bool:
    return observed.cached == expected
