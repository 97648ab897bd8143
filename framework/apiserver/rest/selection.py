"""Which objects of a resource a list, a watch or a deletion of a collection is about."""

from collections.abc import Mapping

from framework.apiserver.objects import Object
from framework.apiserver.resource import Resource
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.versions import converted
from framework.apiserver.selectors import FieldSelector, LabelSelector, parse_field_selector, parse_label_selector
from framework.apiserver.status import bad_request
from framework.apiserver.storage import Record


class Selection:
    """A namespace, or all, and what the selectors demand."""

    __slots__ = ("_fields", "_labels", "_resource", "has_selectors", "name", "namespace")

    def __init__(
        self, resource: Resource, namespace: str, labels: LabelSelector, fields: FieldSelector, name: str
    ) -> None:
        self._resource = resource
        self._labels = labels
        self._fields = fields
        self.namespace = namespace
        # The one name that can match, if there is only one.
        self.name = name or fields.requires("metadata.name") or ""
        self.has_selectors = not (labels.is_everything and fields.is_everything)

    def matches(self, record: Record) -> bool:
        return not self.has_selectors or self.matches_object(record.decode())

    def matches_key(self, record: Record) -> bool:
        """Whether the place of the object is right, whatever is in it."""
        key = record.key
        return (not self.namespace or key.namespace == self.namespace) and (not self.name or key.name == self.name)

    def matches_object(self, stored: Object) -> bool:
        if not self._labels.matches(stored["metadata"].get("labels") or {}):
            return False
        return self._fields.is_everything or self._fields.matches(self._field_getter(stored))

    def _field_getter(self, stored: Object) -> "_Fields":
        obj = converted(self._resource, stored)
        metadata = obj["metadata"]
        basics = {"metadata.name": metadata["name"], "metadata.namespace": metadata.get("namespace", "")}
        return _Fields({**basics, **self._resource.strategy.selectable_fields(obj)})


class _Fields:
    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def __call__(self, field: str) -> str:
        return self._values.get(field, "")


def parse_selectors(context: Context) -> tuple[LabelSelector, FieldSelector]:
    """What cannot be read is refused before everything else."""
    labels = parse_label_selector(context.query.get("labelSelector"))
    return labels, parse_field_selector(context.query.get("fieldSelector"))


def selection_of(context: Context) -> Selection:
    labels, fields = parse_selectors(context)
    fields.check(context.resource)
    name = context.info.name
    if name and fields.requires("metadata.name") not in {None, name}:
        raise bad_request("fieldSelector metadata.name doesn't match requested name")
    namespace = context.namespace or fields.requires("metadata.namespace") or ""
    return Selection(context.resource, namespace, labels, fields, name)
