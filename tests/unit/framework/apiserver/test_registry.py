"""Which resources are served, as definitions come, change and go."""

from typing import Any

import pytest

from tests.unit.framework.apiserver.asking import DEFINITIONS, Asked
from tests.unit.framework.apiserver.resources import a_definition

_SCHEMA = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}


@pytest.fixture
def asked() -> Asked:
    return Asked()


def definition(kind: str = "Widget", /, group: str = "example.com", **names: Any) -> Any:
    made = a_definition(group, kind, schema=_SCHEMA)
    made["spec"]["names"] |= names
    return made


def conditions(asked: Asked, name: str) -> dict[str, tuple[str, str]]:
    status = asked("GET", f"{DEFINITIONS}/{name}").document["status"]
    return {one["type"]: (one["status"], one["reason"]) for one in status["conditions"]}


def serves(asked: Asked, path: str) -> bool:
    return asked("GET", path).status == 200


def test_a_definition_is_served_from_its_creation_on(asked: Asked) -> None:
    asked.create(DEFINITIONS, definition())

    assert serves(asked, "/apis/example.com/v1/widgets")
    assert conditions(asked, "widgets.example.com") == {
        "NamesAccepted": ("True", "NoConflicts"),
        "Established": ("True", "InitialNamesAccepted"),
    }


def test_accepted_names_are_those_that_were_wished_for(asked: Asked) -> None:
    created = definition(shortNames=["w"], categories=["all"])
    asked.create(DEFINITIONS, created)

    accepted = asked("GET", f"{DEFINITIONS}/widgets.example.com").document["status"]["acceptedNames"]

    assert accepted == created["spec"]["names"]


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ({"kind": "Widget"}, "KindConflict"),
        ({"listKind": "WidgetList"}, "ListKindConflict"),
        ({"singular": "widget"}, "SingularConflict"),
        ({"shortNames": ["widgets"]}, "ShortNamesConflict"),
    ],
)
def test_a_name_that_is_taken_is_not_accepted(asked: Asked, names: dict[str, Any], reason: str) -> None:
    asked.create(DEFINITIONS, definition())

    asked.create(DEFINITIONS, definition("Gadget", **names))

    assert conditions(asked, "gadgets.example.com") == {
        "NamesAccepted": ("False", reason),
        "Established": ("False", "NotAccepted"),
    }
    assert not serves(asked, "/apis/example.com/v1/gadgets")


def test_the_same_name_in_another_group_is_another_name(asked: Asked) -> None:
    asked.create(DEFINITIONS, definition())

    asked.create(DEFINITIONS, definition(group="other.example.com"))

    assert serves(asked, "/apis/other.example.com/v1/widgets")


def test_versions_come_and_go_with_the_definition(asked: Asked) -> None:
    asked.create(DEFINITIONS, definition())
    second = {"name": "v2", "served": True, "storage": False, "schema": _SCHEMA}
    first = {"name": "v1", "served": True, "storage": True, "schema": _SCHEMA}
    target = f"{DEFINITIONS}/widgets.example.com"

    asked.merge(target, {"spec": {"versions": [first, second]}})
    with_both = [serves(asked, f"/apis/example.com/{version}/widgets") for version in ("v1", "v2")]
    asked.merge(target, {"spec": {"versions": [{**first, "served": False}, second]}})
    with_one = [serves(asked, f"/apis/example.com/{version}/widgets") for version in ("v1", "v2")]

    assert (with_both, with_one) == ([True, True], [False, True])


def test_what_was_written_in_one_version_is_read_in_the_other(asked: Asked) -> None:
    made = definition()
    made["spec"]["versions"].append({"name": "v2", "served": True, "storage": False, "schema": _SCHEMA})
    asked.create(DEFINITIONS, made)
    widget = {"apiVersion": "example.com/v2", "kind": "Widget", "metadata": {"name": "one"}, "size": 1}
    asked.create("/apis/example.com/v2/namespaces/default/widgets", widget)

    found = asked("GET", "/apis/example.com/v1/namespaces/default/widgets/one").document

    assert (found["apiVersion"], found["size"]) == ("example.com/v1", 1)


def test_a_definition_that_is_gone_is_not_served(asked: Asked) -> None:
    asked.create(DEFINITIONS, definition())
    asked("DELETE", f"{DEFINITIONS}/widgets.example.com")

    asked.merge(f"{DEFINITIONS}/widgets.example.com", {"metadata": {"finalizers": None}})

    assert asked("GET", f"{DEFINITIONS}/widgets.example.com").status == 404
    assert not serves(asked, "/apis/example.com/v1/widgets")


def test_resources_stay_the_same_objects_while_nothing_changes(asked: Asked) -> None:
    asked.create(DEFINITIONS, definition())
    before = asked.server.registry.all()

    asked.config_map("one")

    assert asked.server.registry.all() is before


def test_one_definition_more_leaves_the_others_as_they_are(asked: Asked) -> None:
    asked.create(DEFINITIONS, definition())
    before = asked.server.registry.find("example.com", "v1", "widgets")

    asked.create(DEFINITIONS, definition("Gadget"))

    assert asked.server.registry.find("example.com", "v1", "widgets") is before
