"""The rules of one version of a custom resource, each part loaded and compiled when it is first needed."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from framework.apiserver.definitions.scale_paths import scale_paths
from framework.apiserver.objects import Object
from framework.apiserver.resource import FieldManager, Merger, ScaleManager, Strategy, TablePrinter
from framework.loading import LOADING

Convert = Callable[[Object, str], Object]
_OF_STATUS = (("status",),)
_OF_ALL_BUT_STATUS = (("metadata",), ("spec",))


class CustomRules:
    """A server that starts with many definitions compiles those that somebody uses."""

    # Strategic merge patches need the merge keys of Go structs.
    merger: Merger | None = None

    def __init__(self, crd: Object, version: Any, convert: Convert | None) -> None:
        self._crd = crd
        self._version = version
        self._convert = convert
        self._api_version = f"{crd['spec']['group']}/{version['name']}"
        self._subresources = version.get("subresources") or {}

    @cached_property
    def strategy(self) -> Strategy:
        with LOADING:
            from framework.apiserver.definitions.custom_strategy import CustomStrategy
            from framework.apiserver.definitions.structural_schemas import structural_schema

        spec = self._crd["spec"]
        preserves = bool(spec.get("preserveUnknownFields"))
        return CustomStrategy(
            api_version=self._api_version,
            kind=self._crd["status"]["acceptedNames"]["kind"],
            is_namespaced=spec["scope"] == "Namespaced",
            schema=structural_schema(_json_schema(self._version), preserve_unknown=preserves),
            has_status="status" in self._subresources,
            scale=scale_paths(self._subresources),
            selectable=_selectable(self._version),
        )

    @cached_property
    def field_manager(self) -> FieldManager:
        with LOADING:
            from framework.apiserver.definitions.field_schemas import field_schema
            from framework.apiserver.managedfields import SchemaFieldManager

        group, versions = self._crd["spec"]["group"], self._crd["spec"]["versions"]
        schemas = {f"{group}/{version['name']}": field_schema(_json_schema(version)) for version in versions}
        has_status = "status" in self._subresources
        return SchemaFieldManager(
            schemas[self._api_version],
            api_version=self._api_version,
            reset_fields={"": _OF_STATUS, "status": _OF_ALL_BUT_STATUS} if has_status else {},
            other_versions=schemas,
            convert=self._convert,
            is_custom=True,
        )

    @cached_property
    def table(self) -> TablePrinter:
        with LOADING:
            from framework.apiserver.tables import CustomTable

        return CustomTable(self._version.get("additionalPrinterColumns") or ())

    @cached_property
    def scale_manager(self) -> ScaleManager | None:
        with LOADING:
            from framework.apiserver.managedfields import ScaleFieldManager

        if "scale" not in self._subresources:
            return None
        replicas = {}
        for version in self._crd["spec"]["versions"]:
            scale = scale_paths(version.get("subresources") or {})
            replicas[f"{self._crd['spec']['group']}/{version['name']}"] = scale.spec_replicas if scale else None
        return ScaleFieldManager(api_version=self._api_version, replicas=replicas, is_custom=True)


def _json_schema(version: Any) -> Any:
    return (version.get("schema") or {}).get("openAPIV3Schema") or {}


def _selectable(version: Any) -> dict[str, tuple[str, ...]]:
    paths = [field["jsonPath"].lstrip(".") for field in version.get("selectableFields") or ()]
    return {path: tuple(path.split(".")) for path in paths}
