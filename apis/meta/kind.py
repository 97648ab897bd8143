"""Turns a Struct into a kind: its resource type and all that its CRD says beside the schema."""

from collections.abc import Callable
from typing import TypeVar, cast

import msgspec

from apis.meta.object import KubeObject, OwnerReference
from apis.meta.resource import GroupVersionKind, ResourceType, Scope

DECLARATION = "__windlass_kind__"
RULES = "__windlass_rules__"
VALIDATIONS = "x-kubernetes-validations"

StructT = TypeVar("StructT", bound=type[msgspec.Struct])
KindT = TypeVar("KindT", bound=type[KubeObject])


class Rule(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A CEL validation rule; `oldSelf` in it makes it a transition rule."""

    rule: str
    message: str = ""
    message_expression: str = ""
    reason: str = ""
    field_path: str = ""
    optional_old_self: bool = False


class PrinterColumn(msgspec.Struct, frozen=True):
    name: str
    json_path: str
    type: str = "string"
    description: str = ""
    priority: int = 0
    format: str = ""


class Scale(msgspec.Struct, frozen=True):
    """JSON paths of the scale subresource."""

    spec_replicas: str = ".spec.replicas"
    status_replicas: str = ".status.replicas"
    label_selector: str = ""


class KindDeclaration(msgspec.Struct, frozen=True):
    resource_type: ResourceType
    singular: str
    list_kind: str
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    printer_columns: tuple[PrinterColumn, ...] = ()
    selectable_fields: tuple[str, ...] = ()
    status: bool = False
    scale: Scale | None = None
    storage: bool = True
    served: bool = True
    deprecated: bool = False
    deprecation_warning: str = ""
    # Kinds that the server brings itself have no CRD.
    builtin: bool = False


def kind(
    *,
    group: str,
    version: str,
    plural: str,
    scope: Scope = "Namespaced",
    short_names: tuple[str, ...] = (),
    categories: tuple[str, ...] = (),
    printer_columns: tuple[PrinterColumn, ...] = (),
    selectable_fields: tuple[str, ...] = (),
    status: bool = False,
    scale: Scale | None = None,
    storage: bool = True,
    served: bool = True,
    deprecated: bool = False,
    deprecation_warning: str = "",
    builtin: bool = False,
) -> Callable[[KindT], KindT]:
    """Declare the decorated Struct a kind; its name is the kind's name."""

    def declare(cls: KindT) -> KindT:
        declaration = KindDeclaration(
            resource_type=ResourceType(GroupVersionKind(group, version, cls.__name__), plural, scope),
            singular=cls.__name__.lower(),
            list_kind=f"{cls.__name__}List",
            short_names=short_names,
            categories=categories,
            printer_columns=printer_columns,
            selectable_fields=selectable_fields,
            status=status,
            scale=scale,
            storage=storage,
            served=served,
            deprecated=deprecated,
            deprecation_warning=deprecation_warning,
            builtin=builtin,
        )
        setattr(cls, DECLARATION, declaration)
        return cls

    return declare


def rules(*declared: Rule) -> Callable[[StructT], StructT]:
    """Attach CEL rules to a Struct; they stand at its place in the schema, after those of its bases."""

    def attach(cls: StructT) -> StructT:
        setattr(cls, RULES, (*rules_of(cls), *declared))
        return cls

    return attach


def rules_of(cls: type[msgspec.Struct]) -> tuple[Rule, ...]:
    return cast("tuple[Rule, ...]", getattr(cls, RULES, ()))


def declaration_of(cls: type[KubeObject]) -> KindDeclaration:
    # Looked up on the class itself: a subclass is not silently the same kind.
    declaration = cls.__dict__.get(DECLARATION)
    if declaration is None:
        raise TypeError(f"{cls.__name__} is not a kind; decorate it with @kind(group=…, version=…, plural=…)")
    return cast("KindDeclaration", declaration)


def resource_type_of(cls: type[KubeObject]) -> ResourceType:
    return declaration_of(cls).resource_type


def controller_reference(owner: KubeObject) -> OwnerReference:
    """What makes an object belong to *owner*: the garbage collector deletes it after its owner."""
    gvk = resource_type_of(type(owner)).gvk
    return OwnerReference(
        api_version=gvk.api_version,
        kind=gvk.kind,
        name=owner.metadata.name,
        uid=owner.metadata.uid,
        controller=True,
        block_owner_deletion=True,
    )
