"""Informers and controllers that come, go and fail while a manager runs."""

from typing import Any

import msgspec

from apis.core.v1 import ConfigMap, Secret
from apis.meta import Key, ObjectMeta, OwnerReference, Request
from apis.requeststate.v1 import RequestState, RequestStateSpec, State
from framework.client import Client
from framework.clock import SystemClock
from framework.controller import ControllerOptions, Mapped, Owned, Primary, generation_changed
from framework.errors import DeadlineExceeded, TimedOut
from framework.testing.relay import Fault, Match, Relay, Stall, too_many_requests


def test_objects_that_were_there_and_objects_that_come_are_reconciled(
    managers: Any, recorder: Any, config_map: Any, eventually: Any
) -> None:
    config_map("before")
    manager, seen = managers.make(), recorder()
    manager.add_controller("maps", seen, [Primary(manager.informer(ConfigMap))])

    manager.start()
    eventually(lambda: seen.has_seen("before"))
    config_map("after")

    eventually(lambda: seen.has_seen("before", "after"))


def test_a_controller_and_its_informer_can_be_added_to_a_running_manager(
    managers: Any, recorder: Any, config_map: Any, eventually: Any
) -> None:
    config_map("a")
    manager, seen = managers.make(), recorder()
    manager.start()

    controller = manager.add_controller("maps", seen, [Primary(manager.informer(ConfigMap))])

    eventually(lambda: controller.has_synced and seen.has_seen("a"))


def test_a_stopped_informer_goes_on_where_it_was_when_it_is_started_again(
    managers: Any, recorder: Any, config_map: Any, client: Client, eventually: Any
) -> None:
    gone = config_map("gone")
    manager, seen = managers.make(), recorder()
    informer = manager.informer(ConfigMap)
    manager.add_controller("maps", seen, [Primary(informer)])
    manager.start()
    eventually(lambda: seen.has_seen("gone"))

    informer.stop()
    client.delete(ConfigMap, gone.key)
    config_map("missed")
    seen.seen.clear()
    informer.start()

    # Exactly what happened meanwhile, the deletion included.
    eventually(lambda: seen.has_seen("gone", "missed"))
    assert informer.lister.get(gone.key) is None


def test_a_removed_informer_watches_no_more_and_the_others_do(
    managers: Any, relay: Relay, recorder: Any, config_map: Any, eventually: Any
) -> None:
    manager, seen = managers.make(through=relay), recorder()
    manager.add_controller("maps", seen, [Primary(manager.informer(ConfigMap))])
    secrets = manager.informer(Secret)
    manager.start()
    eventually(lambda: secrets.has_synced)
    asked = relay.count(lambda request: "/secrets" in request.path)

    manager.remove_informer(secrets)
    config_map("a")
    eventually(lambda: seen.has_seen("a"))

    assert relay.count(lambda request: "/secrets" in request.path) == asked


def test_a_controller_whose_source_never_syncs_stays_idle_and_others_work(
    managers: Any, relay: Relay, recorder: Any, config_map: Any, eventually: Any
) -> None:
    relay.inject(Fault(Match(path="/secrets"), Stall(before_headers=True), times=None))
    config_map("a")
    manager, idle, busy = managers.make(through=relay), recorder(), recorder()
    maps = manager.informer(ConfigMap)
    stuck = manager.add_controller("idle", idle, [Primary(maps), Primary(manager.informer(Secret))])
    manager.add_controller("busy", busy, [Primary(maps)])

    manager.start()
    eventually(lambda: busy.has_seen("a"))

    assert idle.seen == []
    assert not stuck.has_synced


def test_owners_are_found_and_an_object_that_moves_concerns_both(
    managers: Any, recorder: Any, config_map: Any, client: Client, eventually: Any
) -> None:
    first, second = config_map("first"), config_map("second")
    manager, seen = managers.make(), recorder()
    manager.add_controller("maps", seen, [Owned(manager.informer(ConfigMap), ConfigMap)])
    manager.start()

    owned = config_map("child", owner=owner_of(first))
    eventually(lambda: seen.has_seen("first"))
    seen.seen.clear()
    references = [msgspec.to_builtins(owner_of(second))]
    client.merge_patch(ConfigMap, owned.key, {"metadata": {"ownerReferences": references}})

    eventually(lambda: seen.has_seen("first", "second"))


def test_a_mapping_sees_the_object_before_and_after(
    managers: Any, recorder: Any, config_map: Any, namespace: str, eventually: Any
) -> None:
    def named_in_label(obj: ConfigMap) -> list[Request]:
        return [Request(Key(namespace, obj.metadata.labels["for"]))] if "for" in obj.metadata.labels else []

    manager, seen = managers.make(), recorder()
    manager.add_controller("maps", seen, [Mapped(manager.informer(ConfigMap), named_in_label)])
    manager.start()
    mapped = config_map("a", labels={"for": "x"})
    eventually(lambda: seen.has_seen("x"))
    seen.seen.clear()

    manager.client.merge_patch(ConfigMap, mapped.key, {"metadata": {"labels": {"for": "y"}}})

    eventually(lambda: seen.has_seen("x", "y"))


def test_the_begin_of_a_deletion_passes_the_generation_predicate_on_the_real_server(
    managers: Any, recorder: Any, namespace: str, client: Client, eventually: Any
) -> None:
    manager, seen = managers.make(), recorder()
    sources = [Primary(manager.informer(RequestState), predicates=[generation_changed])]
    manager.add_controller("requests", seen, sources)
    manager.start()
    metadata = ObjectMeta(name="r", namespace=namespace, finalizers=["example.com/hold"])
    spec = RequestStateSpec(request_uid="r", job="JOB1", state=State.REQUESTED)
    client.create(RequestState(metadata=metadata, spec=spec))
    eventually(lambda: seen.seen == ["r"])

    client.merge_patch(RequestState, Key(namespace, "r"), {"metadata": {"labels": {"a": "b"}}})
    client.delete(RequestState, Key(namespace, "r"))
    eventually(lambda: len(seen.seen) == 2)

    # The label alone brought nothing: the third is the end of the deletion.
    client.merge_patch(RequestState, Key(namespace, "r"), {"metadata": {"finalizers": None}})
    eventually(lambda: len(seen.seen) == 3)


def test_the_timeout_of_a_reconcile_ends_a_request_that_hangs(
    managers: Any, relay: Relay, recorder: Any, namespace: str, eventually: Any
) -> None:
    relay.inject(Fault(Match(method="PATCH"), Stall(before_headers=True), times=None))
    manager = managers.make(through=relay)
    client, clock = manager.client_for("maps"), SystemClock()
    ends: list[tuple[type[BaseException], float]] = []

    def write(_request: Request) -> None:
        started = clock.monotonic()
        try:
            client.merge_patch(ConfigMap, Key(namespace, "a"), {"data": {"a": "b"}})
        except Exception as error:
            ends.append((type(error), clock.monotonic() - started))
            raise

    options = ControllerOptions(reconcile_timeout_seconds=0.5)
    manager.start()
    manager.add_controller("maps", recorder(write), [], options).enqueue(Request(Key(namespace, "a")))
    eventually(lambda: value(manager, "controller_runtime_reconcile_timeouts_total") >= 1)

    kind, seconds = ends[0]
    assert kind in {TimedOut, DeadlineExceeded}
    assert 0.4 < seconds < 5
    assert value(manager, "controller_runtime_reconcile_panics_total") == 0


def test_the_timeout_of_a_reconcile_ends_a_wait_that_the_server_asked_for(
    managers: Any, relay: Relay, recorder: Any, namespace: str, eventually: Any
) -> None:
    relay.inject(Fault(Match(method="PATCH"), too_many_requests("20"), times=None))
    manager = managers.make(through=relay)
    client = manager.client_for("maps")
    options = ControllerOptions(reconcile_timeout_seconds=0.5)
    write = recorder(lambda _: client.merge_patch(ConfigMap, Key(namespace, "a"), {"data": {"a": "b"}}))
    manager.start()

    manager.add_controller("maps", write, [], options).enqueue(Request(Key(namespace, "a")))

    eventually(lambda: value(manager, "controller_runtime_reconcile_timeouts_total") >= 1)


def value(manager: Any, name: str) -> float:
    return float(manager.registry.get_sample_value(name, {"controller": "maps"}) or 0.0)


def owner_of(obj: ConfigMap) -> OwnerReference:
    return OwnerReference(
        api_version="v1", kind="ConfigMap", name=obj.metadata.name, uid=obj.metadata.uid, controller=True
    )
