"""Events keep to the limits of the API server."""

import re
from collections.abc import Callable
from typing import Any, cast

import pytest

from apis.core.v1 import Namespace, Pod
from apis.meta import KubeObject, ObjectMeta, Unstructured
from framework.events.event_api import CoreV1, EventsV1
from framework.events.occurrence import occurrence_of
from framework.events.options import EventOptions
from framework.events.reporter import Reporter
from framework.events.series import Series
from framework.events.series_memory import SeriesMemory
from framework.randomness import Random
from framework.testing.virtual_time import DEFAULT_START

NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
POD = Pod(metadata=ObjectMeta(name="web", namespace="shop", uid="uid", resource_version="5"))
REPORTER = Reporter.of("widgets", "host")


class Fixed:
    def getrandbits(self, _bits: int, /) -> int:
        return 0x0123456789ABCDEF


def a_series(about: KubeObject = POD, *, reason: str = "Started", note: str = "", **more: Any) -> Series:
    given: dict[str, Any] = {"action": "Start", "related": None, **more}
    occurrence = occurrence_of(about, "Normal", reason, note, at=DEFAULT_START, **given)
    memory = SeriesMemory(EventOptions(), cast("Random", Fixed()))
    return memory.hear(occurrence, 0.0, is_over_after=360.0).series


def event(about: KubeObject = POD, **more: Any) -> dict[str, Any]:
    return EventsV1(REPORTER).content(a_series(about, **more))


def test_an_event_names_the_object_it_is_about() -> None:
    content = event()

    assert content["regarding"] == {
        "apiVersion": "v1",
        "kind": "Pod",
        "namespace": "shop",
        "name": "web",
        "uid": "uid",
        "resourceVersion": "5",
    }
    assert content["metadata"] == {"name": "web.0123456789abcdef", "namespace": "shop"}
    assert "related" not in content
    assert "series" not in content


def test_an_event_names_the_object_that_has_to_do_with_it(pod: Callable[..., Pod]) -> None:
    related = event(related=pod("other", resource_version="7"))["related"]

    assert (related["name"], related["resourceVersion"]) == ("other", "7")


def test_a_core_event_says_the_same_in_other_words(pod: Callable[..., Pod]) -> None:
    content = CoreV1(REPORTER).content(a_series(note="all is well", related=pod("other")))

    assert content["involvedObject"] == event()["regarding"]
    assert content["source"] == {"component": "windlass/widgets"}
    assert (content["message"], content["count"]) == ("all is well", 1)
    assert content["firstTimestamp"] == content["lastTimestamp"] == "2026-01-01T00:00:00Z"
    assert content["related"]["name"] == "other"
    assert "eventTime" not in content


@pytest.mark.parametrize("api", [EventsV1(REPORTER), CoreV1(REPORTER)])
def test_an_event_about_a_cluster_scoped_object_lives_in_the_namespace_default(api: EventsV1 | CoreV1) -> None:
    content = api.content(a_series(Namespace(metadata=ObjectMeta(name="shop"))))

    assert content["metadata"]["namespace"] == "default"
    assert (content.get("regarding") or content["involvedObject"])["namespace"] == ""


def test_an_object_without_a_struct_names_its_kind_itself() -> None:
    about = Unstructured(metadata=ObjectMeta(name="a"), content={"apiVersion": "apps/v1", "kind": "Deployment"})

    regarding = event(about)["regarding"]

    assert (regarding["apiVersion"], regarding["kind"]) == ("apps/v1", "Deployment")


@pytest.mark.parametrize(
    "name", ["a" * 253, "a" * 199 + "-" + "b" * 53, "a" * 199 + "." + "b" * 53, "system:node", "A_B"]
)
def test_the_name_of_an_event_is_valid_whatever_the_object_is_called(pod: Callable[..., Pod], name: str) -> None:
    made = event(pod(name))["metadata"]["name"]

    assert NAME.fullmatch(made)
    assert len(made) <= 253


@pytest.mark.parametrize("cut_at", ["-", "."])
def test_a_long_name_is_shortened_and_not_replaced(pod: Callable[..., Pod], cut_at: str) -> None:
    made = event(pod("a" * 199 + cut_at + "b" * 53))["metadata"]["name"]

    assert made == "a" * 199 + ".0123456789abcdef"


def test_texts_are_cut_to_the_bytes_that_the_server_allows() -> None:
    content = event(reason="R" * 200, note="ä" * 1000, action="A" * 200)

    assert content["note"] == "ä" * 512
    assert (len(content["reason"]), len(content["action"])) == (128, 128)


def test_the_reporting_instance_has_at_most_128_bytes() -> None:
    reporter = Reporter.of("widgets", "h" * 253)

    assert reporter.instance.startswith("widgets-hhh")
    assert len(reporter.instance) == 128


@pytest.mark.parametrize("controller", ["c" * 100, "with spaces / and slashes", "c" * 62 + "-d"])
def test_the_reporting_controller_is_a_qualified_name(controller: str) -> None:
    prefix, _, name = Reporter.of(controller, "host").controller.partition("/")

    assert prefix == "windlass"
    assert re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?", name)
