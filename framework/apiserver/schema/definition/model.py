"""A CustomResourceDefinition as far as its validation looks at it."""

from typing import Any, TypeVar

import msgspec

from framework.apiserver import status
from framework.apiserver.objects import Object
from framework.apiserver.schema.json_schema import JSONSchema

T = TypeVar("T")


class Names(msgspec.Struct, frozen=True, rename="camel"):
    plural: str = ""
    singular: str = ""
    short_names: list[str] | None = None
    kind: str = ""
    list_kind: str = ""
    categories: list[str] | None = None


class VersionSchema(msgspec.Struct, frozen=True):
    openapi: JSONSchema | None = msgspec.field(default=None, name="openAPIV3Schema")


class Scale(msgspec.Struct, frozen=True, rename="camel"):
    spec_replicas_path: str = ""
    status_replicas_path: str = ""
    label_selector_path: str | None = None


class Subresources(msgspec.Struct, frozen=True):
    status: dict[str, Any] | None = None
    scale: Scale | None = None


class Column(msgspec.Struct, frozen=True):
    name: str = ""
    type: str = ""
    format: str = ""
    description: str = ""
    priority: int = 0
    json_path: str = msgspec.field(default="", name="jsonPath")


class SelectableField(msgspec.Struct, frozen=True):
    json_path: str = msgspec.field(default="", name="jsonPath")


class Version(msgspec.Struct, frozen=True, rename="camel"):
    name: str = ""
    served: bool = False
    storage: bool = False
    deprecated: bool = False
    deprecation_warning: str | None = None
    schema: VersionSchema | None = None
    subresources: Subresources | None = None
    additional_printer_columns: list[Column] | None = None
    selectable_fields: list[SelectableField] | None = None


class ServiceReference(msgspec.Struct, frozen=True):
    namespace: str = ""
    name: str = ""
    path: str | None = None
    port: int | None = None


class ClientConfig(msgspec.Struct, frozen=True):
    url: str | None = None
    service: ServiceReference | None = None
    ca_bundle: str = msgspec.field(default="", name="caBundle")


class Webhook(msgspec.Struct, frozen=True, rename="camel"):
    client_config: ClientConfig | None = None
    conversion_review_versions: list[str] | None = None


class Conversion(msgspec.Struct, frozen=True):
    strategy: str = ""
    webhook: Webhook | None = None


class Spec(msgspec.Struct, frozen=True, rename="camel"):
    group: str = ""
    names: Names = Names()
    scope: str = ""
    versions: list[Version] = []
    conversion: Conversion | None = None
    preserve_unknown_fields: bool | None = None

    @property
    def schemas(self) -> list[JSONSchema]:
        found = [version.schema.openapi for version in self.versions if version.schema is not None]
        return [schema for schema in found if schema is not None]


class Condition(msgspec.Struct, frozen=True):
    type: str = ""
    status: str = ""


class Status(msgspec.Struct, frozen=True, rename="camel"):
    conditions: list[Condition] | None = None
    accepted_names: Names = Names()
    stored_versions: list[str] | None = None

    @property
    def is_established(self) -> bool:
        return any(one.type == "Established" and one.status == "True" for one in self.conditions or ())


class Metadata(msgspec.Struct, frozen=True):
    name: str = ""
    annotations: dict[str, str] | None = None


class Definition(msgspec.Struct, frozen=True):
    metadata: Metadata = Metadata()
    spec: Spec = Spec()
    status: Status = Status()


def parse_definition(crd: Object) -> Definition:
    """Raises BadRequest if a field has the wrong JSON type."""
    try:
        return msgspec.convert(crd, Definition)
    except msgspec.ValidationError as error:
        version = str(crd.get("apiVersion", "")).rpartition("/")[2]
        kind = "CustomResourceDefinition"
        message = f'{kind} in version "{version}" cannot be handled as a {kind}: {error}'
        raise status.bad_request(message) from None


def common(values: list[T]) -> T | None:
    """What all versions have in common, if it is the same for all; the API server then has it above them."""
    first = values[0] if values else None
    return first if all(value == first for value in values) else None
