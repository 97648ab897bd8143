"""Events keep to the limits of the API server."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from apis.core.v1 import Namespace, Pod
from apis.meta import KubeObject, ObjectMeta, Unstructured
from framework.events.event import Reporter, Said, make_event, shortened

AT = datetime(2026, 1, 1, tzinfo=UTC)
NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
SAID = Said("uid", "Normal", "Started", "all is well")


def event(about: KubeObject, *, said: Said = SAID, action: str = "Start", by: Reporter | None = None) -> Any:
    made = make_event(about, said, action, by=by or Reporter.of("widgets", "host"), at=AT, suffix="0123456789abcdef")
    return made.content


def a_pod(name: str = "web", namespace: str = "shop") -> Pod:
    return Pod(metadata=ObjectMeta(name=name, namespace=namespace, uid="uid", resource_version="5"))


def test_an_event_names_the_object_it_is_about() -> None:
    content = event(a_pod())

    assert content["regarding"] == {
        "apiVersion": "v1",
        "kind": "Pod",
        "namespace": "shop",
        "name": "web",
        "uid": "uid",
        "resourceVersion": "5",
    }
    assert content["metadata"] == {"name": "web.0123456789abcdef", "namespace": "shop"}


def test_an_event_about_a_cluster_scoped_object_lives_in_the_namespace_default() -> None:
    content = event(Namespace(metadata=ObjectMeta(name="shop")))

    assert content["metadata"]["namespace"] == "default"
    assert content["regarding"]["namespace"] == ""


def test_an_object_without_a_struct_names_its_kind_itself() -> None:
    about = Unstructured(metadata=ObjectMeta(name="a"), content={"apiVersion": "apps/v1", "kind": "Deployment"})

    regarding = event(about)["regarding"]

    assert (regarding["apiVersion"], regarding["kind"]) == ("apps/v1", "Deployment")


@pytest.mark.parametrize(
    "name", ["a" * 253, "a" * 199 + "-" + "b" * 53, "a" * 199 + "." + "b" * 53, "system:node", "A_B"]
)
def test_the_name_of_an_event_is_valid_whatever_the_object_is_called(name: str) -> None:
    made = event(a_pod(name))["metadata"]["name"]

    assert NAME.fullmatch(made)
    assert len(made) <= 253


@pytest.mark.parametrize("cut_at", ["-", "."])
def test_a_long_name_is_shortened_and_not_replaced(cut_at: str) -> None:
    assert event(a_pod("a" * 199 + cut_at + "b" * 53))["metadata"]["name"] == "a" * 199 + ".0123456789abcdef"


def test_texts_are_cut_to_the_bytes_that_the_server_allows() -> None:
    said = Said("uid", "Warning", "R" * 200, "ä" * 1000)

    content = event(a_pod(), said=said, action="A" * 200)

    assert len(content["note"].encode()) == 1024
    assert content["note"] == "ä" * 512
    assert (len(content["reason"]), len(content["action"])) == (128, 128)


def test_no_character_is_cut_in_two() -> None:
    assert shortened("aää", 4) == "aä"
    assert shortened("aä", 3) == "aä"
    assert shortened("lone \ud800 surrogate", 100) == "lone ? surrogate"


def test_the_reporting_instance_has_at_most_128_bytes() -> None:
    reporter = Reporter.of("widgets", "h" * 253)

    assert reporter.instance.startswith("widgets-hhh")
    assert len(reporter.instance) == 128


@pytest.mark.parametrize("controller", ["c" * 100, "with spaces / and slashes", "c" * 62 + "-d"])
def test_the_reporting_controller_is_a_qualified_name(controller: str) -> None:
    prefix, _, name = Reporter.of(controller, "host").controller.partition("/")

    assert prefix == "windlass"
    assert re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?", name)
