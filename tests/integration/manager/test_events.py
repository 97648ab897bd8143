"""Events as the API server takes them and kubectl shows them."""

import json
from typing import Any

import pytest

from apis.core.v1 import Namespace
from apis.meta import GroupVersionKind, Key, ResourceType
from framework.client import Client
from framework.events import EventRecorder

LIMIT_SECONDS = 30.0
CLUSTER_ROLES = ResourceType(
    GroupVersionKind("rbac.authorization.k8s.io", "v1", "ClusterRole"), "clusterroles", "Cluster"
)


@pytest.fixture
def events(kubectl: Any) -> Any:
    """The events of a namespace as kubectl gets them."""

    def get(namespace: str, reason: str) -> list[dict[str, Any]]:
        selector = f"--field-selector=reason={reason}"
        output = kubectl("get", "events.events.k8s.io", "-n", namespace, selector, "-o", "json", check=True).stdout
        return list(json.loads(output)["items"])

    return get


def a_recorder(managers: Any, controller: str = "maps", **options: Any) -> EventRecorder:
    manager = managers.make(**options)
    manager.start()
    recorder: EventRecorder = manager.recorder_for(controller)
    return recorder


def test_an_event_is_shown_by_kubectl(managers: Any, config_map: Any, namespace: str, kubectl: Any) -> None:
    recorder = a_recorder(managers)

    recorder.record(config_map("a"), "Warning", "Stalled", "the job is not in the flow", action="NextJob")
    recorder.stop(LIMIT_SECONDS)

    shown = kubectl("get", "events", "-n", namespace, check=True).stdout
    assert "Warning" in shown
    assert "Stalled" in shown
    assert "configmap/a" in shown
    assert "the job is not in the flow" in shown


def test_a_repetition_is_one_event(managers: Any, config_map: Any, namespace: str, events: Any) -> None:
    recorder, about = a_recorder(managers), config_map("a")

    for _ in range(10):
        recorder.record(about, "Normal", "Repeated", "again and again", action="Say")
    recorder.stop(LIMIT_SECONDS)

    assert len(events(namespace, "Repeated")) == 1


def test_the_server_accepts_the_longest_of_everything(
    managers: Any, config_map: Any, namespace: str, events: Any
) -> None:
    recorder = a_recorder(managers, "c" * 100, identity="h" * 253)
    about = config_map("a" * 199 + "-" + "b" * 53)

    recorder.record(about, "Normal", "R" * 200, "ä" * 2000, action="A" * 200)
    recorder.stop(LIMIT_SECONDS)

    (event,) = events(namespace, "R" * 128)
    assert len(event["note"].encode()) == 1024
    assert len(event["reportingInstance"]) == 128


def test_an_event_about_a_cluster_scoped_object_is_in_the_namespace_default(
    managers: Any, client: Client, namespace: str, events: Any
) -> None:
    recorder = a_recorder(managers)
    reason = f"Seen{namespace[-6:]}"

    recorder.record(client.get(Namespace, Key("", namespace)), "Normal", reason, "", action="Look")
    recorder.record(client.get(CLUSTER_ROLES, Key("", "system:node")), "Normal", reason, "", action="Look")
    recorder.stop(LIMIT_SECONDS)

    assert sorted(event["regarding"]["name"] for event in events("default", reason)) == ["system:node", namespace]


def test_an_event_that_may_not_be_written_fails_nobody(
    managers: Any, config_map: Any, namespace: str, events: Any
) -> None:
    recorder = a_recorder(managers, user="nobody")

    recorder.record(config_map("a"), "Normal", "Forbidden", "nobody may say this", action="Say")
    recorder.stop(LIMIT_SECONDS)

    assert events(namespace, "Forbidden") == []
