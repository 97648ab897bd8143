"""What a CustomResourceDefinition says beside the schema."""

from typing import Any

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import ApiStruct, KubeObject, PrinterColumn, Scale, kind
from apis.schema import SchemaError, crd_of, crds_of


class Spec(ApiStruct, frozen=True, kw_only=True):
    name: str = ""
    replicas: int = 0
    ratio: float = 0.0


class Body(KubeObject, frozen=True, kw_only=True):
    spec: Spec = Spec()
    status: Spec = Spec()


def a_kind(name: str = "Widget", **declared: Any) -> type[KubeObject]:
    cls = type(name, (Body,), {}, frozen=True)
    return kind(**({"group": "example.com", "version": "v1", "plural": "widgets"} | declared))(cls)


def version_of(**declared: Any) -> dict[str, Any]:
    version: dict[str, Any] = crd_of(a_kind(**declared))["spec"]["versions"][0]
    return version


def test_a_crd_is_named_by_plural_and_group() -> None:
    crd = crd_of(a_kind(short_names=("wd",), categories=("all",), scope="Cluster"))

    assert crd["metadata"] == {"name": "widgets.example.com"}
    assert crd["spec"]["scope"] == "Cluster"
    assert crd["spec"]["names"] == {
        "kind": "Widget",
        "listKind": "WidgetList",
        "plural": "widgets",
        "singular": "widget",
        "shortNames": ["wd"],
        "categories": ["all"],
    }


def test_what_is_not_declared_is_not_there() -> None:
    assert list(version_of()) == ["name", "served", "storage", "schema"]


def test_a_printer_column_says_only_what_it_was_told() -> None:
    columns = (
        PrinterColumn(name="Name", json_path=".spec.name"),
        PrinterColumn("N", ".spec.replicas", "integer", "d", 1),
    )

    assert version_of(printer_columns=columns)["additionalPrinterColumns"] == [
        {"name": "Name", "type": "string", "jsonPath": ".spec.name"},
        {"name": "N", "type": "integer", "jsonPath": ".spec.replicas", "description": "d", "priority": 1},
    ]


def test_selectable_fields_are_listed() -> None:
    assert version_of(selectable_fields=(".spec.name",))["selectableFields"] == [{"jsonPath": ".spec.name"}]


def test_subresources_are_those_declared() -> None:
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}

    assert version_of(status=True)["subresources"] == {"status": {}}
    assert version_of(status=True, scale=Scale())["subresources"] == {"status": {}, "scale": scale}
    assert version_of(scale=Scale(label_selector=".status.name"))["subresources"] == {
        "scale": scale | {"labelSelectorPath": ".status.name"}
    }


def test_a_deprecated_version_says_so() -> None:
    version = version_of(deprecated=True, deprecation_warning="use v2")

    assert (version["deprecated"], version["deprecationWarning"]) == (True, "use v2")


def test_versions_of_a_kind_share_one_crd_whatever_their_order() -> None:
    old, new = a_kind(version="v1beta1", storage=False, served=False), a_kind(version="v1")

    crd = crd_of(old, new)

    versions = [(version["name"], version["served"], version["storage"]) for version in crd["spec"]["versions"]]
    assert versions == [("v1", True, True), ("v1beta1", False, False)]
    assert crd_of(new, old) == crd


def test_kinds_are_grouped_by_group_and_kind() -> None:
    kinds = [a_kind(version="v1beta1", storage=False), a_kind("Gadget", plural="gadgets"), a_kind()]

    crds = crds_of(kinds)

    names = [(crd["metadata"]["name"], len(crd["spec"]["versions"])) for crd in crds]
    assert names == [("gadgets.example.com", 1), ("widgets.example.com", 2)]


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        ([{}, {"version": "v2"}], "Widget: exactly one version is stored, not v1, v2; set storage=False"),
        ([{"storage": False}], "Widget: exactly one version is stored, not none"),
        ([{}, {"storage": False}], "Widget: a version is declared twice"),
        (
            [{}, {"version": "v2", "storage": False, "plural": "others"}],
            "Widget: group, names and scope must be the same",
        ),
        ([{"group": ""}], "Widget: the group '' must be a domain"),
        ([{"version": "1"}], "Widget: the version '1' must look like"),
        ([{"plural": "Widgets"}], "Widget: the plural 'Widgets' must be"),
        ([{"selectable_fields": (".spec.nme",)}], "Widget.spec.nme: the selectable field points at a field"),
        ([{"selectable_fields": (".spec.ratio",)}], "Widget.spec.ratio: the selectable field needs"),
        ([{"printer_columns": (PrinterColumn("A", ".spec.nme"),)}], "Widget.spec.nme: the column A points at a field"),
        (
            [{"printer_columns": (PrinterColumn("A", ".spec.name", "text"),)}],
            "Widget: the column A has the type text, not integer",
        ),
        ([{"scale": Scale(spec_replicas=".spec.name")}], "Widget.spec.name: the scale subresource needs"),
    ],
)
def test_a_wrong_declaration_fails_with_one_line(declared: list[dict[str, Any]], problem: str) -> None:
    with pytest.raises(SchemaError) as caught:
        crd_of(*(a_kind(**parts) for parts in declared))

    assert str(caught.value).startswith(problem)
    assert "\n" not in str(caught.value)


def test_a_column_may_look_into_metadata_and_filter() -> None:
    columns = (
        PrinterColumn("Age", ".metadata.creationTimestamp", "date"),
        PrinterColumn("Ready", '.status.conditions[?(@.type=="Ready")].status'),
    )

    assert len(version_of(printer_columns=columns)["additionalPrinterColumns"]) == 2


def test_the_status_subresource_needs_the_field() -> None:
    @kind(group="example.com", version="v1", plural="widgets", status=True)
    class Widget(KubeObject, frozen=True, kw_only=True):
        spec: Spec

    with pytest.raises(SchemaError, match=r"^Widget\.status: the status subresource is declared"):
        crd_of(Widget)


def test_a_kind_of_the_server_has_no_crd() -> None:
    with pytest.raises(SchemaError, match=r"^ConfigMap: the server brings this kind itself"):
        crd_of(ConfigMap)


def test_a_class_that_is_no_kind_is_named() -> None:
    with pytest.raises(TypeError, match=r"^Body is not a kind"):
        crd_of(Body)
