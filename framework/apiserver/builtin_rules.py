"""The rules of one built-in kind, each part loaded when it is first needed."""

from collections.abc import Callable, Iterable
from functools import cached_property

from framework.apiserver.builtin import BuiltinResource, definitions
from framework.apiserver.objects import Object
from framework.apiserver.resource import FieldManager, Merger, ScaleManager, Strategy, TablePrinter
from framework.loading import LOADING


class BuiltinRules:
    def __init__(self, resource: BuiltinResource, services: Callable[[], Iterable[Object]]) -> None:
        self._resource = resource
        self._services = services

    @cached_property
    def strategy(self) -> Strategy:
        with LOADING:
            from framework.apiserver.builtin.kinds.strategies import builtin_strategy
            from framework.apiserver.definitions.strategy import DefinitionStrategy

        strategy = builtin_strategy(self._resource, self._services)
        return DefinitionStrategy(strategy) if self._resource.kind == "CustomResourceDefinition" else strategy

    @cached_property
    def field_manager(self) -> FieldManager:
        with LOADING:
            from framework.apiserver.managedfields import SchemaFieldManager, schema_from_json

        return SchemaFieldManager(
            schema_from_json(definitions()[self._resource.schema], definitions()),
            api_version=self._resource.api_version,
            reset_fields=self._resource.reset_fields,
            convert=convert_event if self._resource.plural == "events" else None,
        )

    @cached_property
    def table(self) -> TablePrinter:
        with LOADING:
            from framework.apiserver.tables import builtin_table

        return builtin_table(self._resource.group, self._resource.kind)

    @cached_property
    def scale_manager(self) -> ScaleManager | None:
        with LOADING:
            from framework.apiserver.managedfields import ScaleFieldManager

        scale, api_version = self._resource.scale, self._resource.api_version
        if scale is None:
            return None
        return ScaleFieldManager(api_version=api_version, replicas={api_version: scale.spec_replicas})

    @cached_property
    def merger(self) -> Merger:
        with LOADING:
            from framework.apiserver.patch import StrategicMerger

        return StrategicMerger(definitions()[self._resource.schema], definitions())


def convert_event(event: Object, api_version: str) -> Object:
    """Both groups of events show the same objects under other names."""
    with LOADING:
        from framework.apiserver.builtin.kinds.events import from_core_event, to_core_event

    if event["apiVersion"] == api_version:
        return event
    return to_core_event(event) if api_version == "v1" else from_core_event(event)
