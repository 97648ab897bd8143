"""What is written of a status, and what is told of it."""

from typing import Any, cast

import msgspec

from apis.cfworker.workerrelease import FailedEntry, WorkerRelease, WorkerReleaseSpec, WorkerReleaseStatus
from apis.laf.instance import Granted, Instance, InstanceStatus, Reserved
from apis.meta import ObjectMeta
from controllers.reporting.observation import Observation
from controllers.reporting.status_writer import StatusWriter
from framework.client import Client
from framework.events import EventRecorder
from framework.testing.virtual_time import VirtualTime

READY = Observation("Ready", "True", "Ready")
LOST = Observation("Ready", "False", "ReplicasUnavailable", "none is left")
REFUSED = Observation("Ready", "False", "NameCollision", "it is taken")


class Server:
    """Remembers patches, and answers with what they make of the status."""

    def __init__(self) -> None:
        self.patches: list[dict[str, Any]] = []

    def patch_status(self, obj: Instance, patch: dict[str, Any]) -> Instance:
        self.patches.append(patch)
        merged = _merged(msgspec.to_builtins(obj.status), patch)
        return msgspec.structs.replace(obj, status=msgspec.convert(merged, InstanceStatus))


class Events:
    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def record(self, _about: Any, event_type: str, reason: str, _note: str, **_options: Any) -> None:
        self.told.append((event_type, reason))


class Desk:
    def __init__(self) -> None:
        self.server, self.events = Server(), Events()
        self.writer: StatusWriter[Instance] = StatusWriter(
            cast("Client", self.server),
            cast("EventRecorder", self.events),
            VirtualTime().clock,
            problems=frozenset({"NameCollision"}),
            losses=frozenset({"ReplicasUnavailable"}),
            action="Test",
        )
        self.instance = Instance(metadata=ObjectMeta(name="a", namespace="b", generation=1))

    def write(self, *seen: Observation, **fields: Any) -> None:
        self.instance = self.writer.write(self.instance, *seen, **fields)


def test_what_is_there_already_is_not_written() -> None:
    desk = Desk()
    desk.write(READY, replicas=2, reserved=Reserved(cpu="1"), serviceName="")
    desk.write(READY, replicas=2, reserved=Reserved(cpu="1"), serviceName="")
    assert len(desk.server.patches) == 1


def test_a_tuple_is_no_change_of_the_list_that_is_there() -> None:
    desk, failed = Desk(), FailedEntry(script_name="hello", url="s3://scripts/hello", message="SyntaxError")
    spec = WorkerReleaseSpec(script_name="hello", script_urls=["s3://scripts/hello"])
    release = WorkerRelease(
        metadata=ObjectMeta(name="a", namespace="b"), spec=spec, status=WorkerReleaseStatus(failed_scripts=[failed])
    )

    cast("StatusWriter[WorkerRelease]", desk.writer).write(release, failedScripts=(failed,))

    assert desk.server.patches == []


def test_what_is_explicit_is_written_also_when_it_is_empty() -> None:
    desk = Desk()
    desk.writer._explicit = frozenset({"serviceName"})

    desk.write(serviceName="")

    assert desk.server.patches == [{"serviceName": ""}]


def test_a_map_becomes_exactly_what_is_wanted() -> None:
    desk = Desk()
    desk.write(granted=Granted(replica=2, request_cpu="1", sidecar=True))
    desk.write(granted=Granted(replica=3, request_cpu="1"))
    assert desk.server.patches[-1] == {"granted": {"replica": 3, "sidecar": None}}
    assert desk.instance.status.granted == Granted(replica=3, request_cpu="1")


def test_an_empty_value_clears_a_field() -> None:
    desk = Desk()
    desk.write(clusterName="paris", reserved=Reserved(cpu="1"), replicas=1)
    desk.write(clusterName="", reserved=None, replicas=0)
    assert desk.server.patches[-1] == {"clusterName": None, "reserved": None, "replicas": None}


def test_conditions_are_in_one_order_whatever_came_first() -> None:
    late, early = Desk(), Desk()
    late.write(READY)
    late.write(Observation("ClusterReachable", "True", "ClusterReady"))
    early.write(Observation("ClusterReachable", "True", "ClusterReady"), READY)
    assert [each.type for each in late.instance.status.conditions] == ["ClusterReachable", "Ready"]
    assert [each.type for each in early.instance.status.conditions] == ["ClusterReachable", "Ready"]


def test_a_problem_is_told_when_it_comes_and_when_it_goes() -> None:
    desk = Desk()
    for seen in (REFUSED, REFUSED, READY, READY):
        desk.write(seen)
    assert desk.events.told == [("Warning", "NameCollision"), ("Normal", "Ready")]


def test_what_was_never_there_is_no_loss_but_its_coming_is_told() -> None:
    desk = Desk()
    for seen in (LOST, READY, LOST, READY):
        desk.write(seen)
    assert desk.events.told == [("Normal", "Ready"), ("Warning", "ReplicasUnavailable"), ("Normal", "Ready")]


def _merged(present: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    merged = dict(present)
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, dict):
            merged[name] = _merged(merged.get(name, {}), value)
        else:
            merged[name] = value
    return merged
