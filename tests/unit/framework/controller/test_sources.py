"""Which requests a change of an object brings, and with which priority."""

from collections.abc import Iterable
from typing import Any, TypedDict

import msgspec
import pytest

from apis.meta import Key, KubeObject, ObjectMeta, OwnerReference, Request, kind, resource_type_of
from framework.client import Codec
from framework.controller import Mapped, Owned, Primary, generation_changed
from framework.controller.sources import reason_of
from framework.store import Change, decode_envelope
from framework.testing.virtual_time import VirtualTime
from framework.workqueue import LOW_PRIORITY, WorkQueue, default_rate_limiter


@kind(group="example.com", version="v2", plural="widgets")
class Widget(KubeObject, frozen=True, kw_only=True):
    size: int = 0


@kind(group="example.com", version="v1", plural="clouds", scope="Cluster")
class Cloud(KubeObject, frozen=True, kw_only=True):
    pass


@kind(group="", version="v1", plural="pods")
class Pod(KubeObject, frozen=True, kw_only=True):
    pass


class FakeInformer:
    """Remembers its handlers."""

    name = "widgets.example.com"
    resource_type = resource_type_of(Widget)

    def __init__(self) -> None:
        self.handlers: list[Any] = []
        self.resync_seconds: float | None = None
        self.removed: list[Any] = []

    def add_handler(self, handler: Any, *, name: str, resync_seconds: float | None = None) -> str:
        self.handlers.append(handler)
        self.resync_seconds = resync_seconds
        return f"registration of {name}"

    def remove_handler(self, registration: Any) -> None:
        self.removed.append(registration)


class Attached:
    """A source and the queue that it fills."""

    def __init__(self, source_type: Any, *arguments: Any, **options: Any) -> None:
        self.time = VirtualTime()
        self.queue: WorkQueue[Request] = WorkQueue("test", self.time.runtime, self.time.clock, default_rate_limiter())
        self.informer = FakeInformer()
        self.source = source_type(self.informer, *arguments, **options)
        self.registration = self.source.attach(self.queue, "widgets")

    def tell(self, change: Change[Any]) -> list[tuple[str, int]]:
        """The requests that *change* brings, with their priorities."""
        self.informer.handlers[0].on_change(change)
        found = []
        while len(self.queue):
            request, priority = self.queue.get()
            self.queue.done(request)
            found.append((str(request), priority))
        return found


def change(old: KubeObject | None, new: KubeObject | None, *, is_initial: bool = False) -> Change[Any]:
    codec: Codec[Any] = Codec(type(new or old), resource_type_of(type(new or old)))  # type: ignore[arg-type]
    entries = [None if each is None else decode_envelope(codec.encode(each)) for each in (old, new)]
    return Change(lambda entry: codec.decode(entry.raw), *entries, is_initial=is_initial)


def resync(obj: KubeObject) -> Change[Any]:
    told = change(None, obj)
    return Change(told._decode, told.new_entry, told.new_entry)


def a_widget(name: str = "a", *, version: int = 1, **metadata: Any) -> Widget:
    return Widget(metadata=ObjectMeta(namespace="default", name=name, resource_version=str(version), **metadata))


def a_pod(*owners: OwnerReference, namespace: str = "default", version: int = 1) -> Pod:
    metadata = ObjectMeta(namespace=namespace, name="p", resource_version=str(version), owner_references=list(owners))
    return Pod(metadata=metadata)


class OwnerKind(TypedDict, total=False):
    api_version: str
    kind: str


def owner(
    name: str, *, api_version: str = "example.com/v2", kind: str = "Widget", controller: bool = True
) -> OwnerReference:
    return OwnerReference(api_version=api_version, kind=kind, name=name, uid="u", controller=controller)


def test_creation_update_and_deletion_of_the_primary_bring_its_own_key() -> None:
    old, new = a_widget(version=1), a_widget(version=2)

    told = [Attached(Primary).tell(each) for each in (change(None, new), change(old, new), change(old, None))]

    assert told == [[("default/a", 0)]] * 3


def test_the_initial_list_and_resyncs_come_with_low_priority() -> None:
    initial = Attached(Primary).tell(change(None, a_widget(), is_initial=True))
    again = Attached(Primary).tell(resync(a_widget()))

    assert initial == again == [("default/a", LOW_PRIORITY)]
    assert LOW_PRIORITY == -100


def test_low_priority_holds_for_owned_and_mapped_objects_too() -> None:
    attached = Attached(Owned, Widget)

    assert attached.tell(change(None, a_pod(owner("a")), is_initial=True)) == [("default/a", -100)]
    assert attached.tell(resync(a_pod(owner("a")))) == [("default/a", -100)]


def test_what_a_mapping_brings_has_the_priority_that_was_asked_for_unless_it_can_wait_anyway() -> None:
    attached = Attached(Mapped, lambda obj: [Request(obj.key)], priority=-7)

    assert attached.tell(change(None, a_widget())) == [("default/a", -7)]
    assert attached.tell(change(None, a_widget(), is_initial=True)) == [("default/a", LOW_PRIORITY)]


def test_requests_of_one_change_are_ready_one_after_the_other_and_the_earlier_time_counts() -> None:
    requests = [Request(Key("default", name)) for name in "abc"]
    attached = Attached(Mapped, lambda _: requests, after_seconds=5.0, apart_seconds=2.0)

    # An update maps twice, to the same.
    told = attached.tell(change(a_widget(version=1), a_widget(version=2)))

    assert told == []
    assert [attached.queue.ready_in(request) for request in requests] == [5.0, 7.0, 9.0]


def test_a_mapping_with_a_delay_gathers_changes_for_so_long() -> None:
    attached = Attached(Mapped, lambda _: [Request(Key("", "all"))], after_seconds=0.5)

    assert attached.tell(change(None, a_widget("a"))) == attached.tell(change(None, a_widget("b"))) == []
    attached.time.advance(0.5)

    assert attached.tell(change(None, a_widget("c"))) == [("all", 0)]


def test_resync_period_goes_to_the_informer() -> None:
    assert Attached(Primary, resync_seconds=600).informer.resync_seconds == 600


def test_detach_removes_the_handler_from_the_informer() -> None:
    attached = Attached(Primary)

    attached.source.detach(attached.registration)

    assert attached.informer.removed == ["registration of widgets"]


def test_owned_brings_the_controlling_owner_only() -> None:
    pod = a_pod(owner("first", controller=False), owner("second"))

    assert Attached(Owned, Widget).tell(change(None, pod)) == [("default/second", 0)]


def test_any_owner_brings_all_owners_of_that_kind() -> None:
    pod = a_pod(owner("first", controller=False), owner("second"), owner("other", kind="Gadget", controller=False))

    told = Attached(Owned, Widget, any_owner=True).tell(change(None, pod))

    assert told == [("default/first", 0), ("default/second", 0)]


@pytest.mark.parametrize("version", ["v1", "v1beta1", "v2"])
def test_owner_is_found_whatever_version_the_reference_names(version: str) -> None:
    pod = a_pod(owner("a", api_version=f"example.com/{version}"))

    assert Attached(Owned, Widget).tell(change(None, pod)) == [("default/a", 0)]


@pytest.mark.parametrize("other", [{"api_version": "other.com/v2"}, {"api_version": "v2"}, {"kind": "Gadget"}])
def test_an_owner_of_another_group_or_kind_is_not_ours(other: OwnerKind) -> None:
    assert Attached(Owned, Widget).tell(change(None, a_pod(owner("a", **other)))) == []


def test_a_cluster_scoped_owner_is_found_without_the_namespace_of_what_it_owns() -> None:
    pod = a_pod(owner("aws", api_version="example.com/v1", kind="Cloud"))

    assert Attached(Owned, Cloud).tell(change(None, pod)) == [("aws", 0)]


def test_an_object_that_changes_hands_concerns_both_owners() -> None:
    old, new = a_pod(owner("a")), a_pod(owner("b"), version=2)

    assert Attached(Owned, Widget).tell(change(old, new)) == [("default/a", 0), ("default/b", 0)]


def test_a_deleted_object_concerns_its_last_owner() -> None:
    assert Attached(Owned, Widget).tell(change(a_pod(owner("a")), None)) == [("default/a", 0)]


def by_label(obj: KubeObject) -> Iterable[Request]:
    if obj.metadata.labels.get("for") == "nobody":
        raise KeyError("for")
    return [Request(Key("default", name)) for name in obj.metadata.labels["for"].split("+")]


def test_a_mapping_sees_the_old_and_the_new_object() -> None:
    old, new = a_widget(labels={"for": "x+y"}), a_widget(labels={"for": "z"}, version=2)

    assert [name for name, _ in Attached(Mapped, by_label).tell(change(old, new))] == [
        "default/x",
        "default/y",
        "default/z",
    ]


def test_a_mapping_that_raises_on_one_side_does_not_cost_the_other() -> None:
    bad, good = a_widget(labels={"for": "nobody"}), a_widget(labels={"for": "z"}, version=2)
    attached = Attached(Mapped, by_label)

    assert attached.tell(change(bad, good)) == [("default/z", 0)]
    assert attached.tell(change(good, bad)) == [("default/z", 0)]


def test_a_mapping_that_returns_nothing_iterable_is_contained() -> None:
    assert Attached(Mapped, lambda _: None).tell(change(None, a_widget())) == []


def test_an_object_that_cannot_be_decoded_still_brings_its_own_key() -> None:
    entry = decode_envelope(b'{"metadata":{"name":"a","namespace":"default","resourceVersion":"1"},"size":"huge"}')
    codec: Codec[Widget] = Codec(Widget, resource_type_of(Widget))
    told: Change[Any] = Change(lambda each: codec.decode(each.raw), None, entry)
    with pytest.raises(msgspec.ValidationError):
        assert told.new

    assert Attached(Primary, predicates=[generation_changed]).tell(told) == [("default/a", 0)]


def test_every_predicate_must_agree() -> None:
    told = change(None, a_widget())

    assert Attached(Primary, predicates=[lambda _: True, lambda _: False]).tell(told) == []
    assert Attached(Primary, predicates=[lambda _: True, lambda _: True]).tell(told) == [("default/a", 0)]


def test_a_predicate_that_raises_lets_the_change_pass() -> None:
    def broken(_change: Change[Any]) -> bool:
        raise ZeroDivisionError

    assert Attached(Primary, predicates=[broken]).tell(change(None, a_widget())) == [("default/a", 0)]


@pytest.mark.parametrize(
    ("told", "what", "versions"),
    [
        (change(None, a_widget(version=5)), "created", (0, 5)),
        (change(None, a_widget(version=5), is_initial=True), "listed", (0, 5)),
        (change(a_widget(version=5), a_widget(version=6)), "changed", (5, 6)),
        (change(a_widget(version=6), None), "deleted", (6, 0)),
        (resync(a_widget(version=6)), "resync", (6, 6)),
    ],
)
def test_reason_tells_what_happened_to_which_object_and_its_versions(
    told: Change[Any], what: str, versions: tuple[int, int]
) -> None:
    reason = reason_of(told, "widgets.example.com")

    assert (reason.what, reason.source, reason.subject) == (what, "widgets.example.com", Key("default", "a"))
    assert (reason.old_version, reason.new_version) == versions


def test_one_change_is_a_reason_of_its_own_for_each_request() -> None:
    attached = Attached(Mapped, lambda _: [Request(Key("default", name)) for name in ("x", "y")])

    # What the second adds to the reason of one request must not be added to that of the other as well.
    for version in (1, 2):
        attached.informer.handlers[0].on_change(change(None, a_widget(version=version)))

    counts = {}
    while len(attached.queue):
        request, _ = attached.queue.get()
        counts[request.name] = [reason.count for reason in attached.queue.take_reasons(request)[1]]
    assert counts == {"x": [2], "y": [2]}
