"""Metadata, conditions and the base classes of typed and untyped objects."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from apis.meta.resource import Key
from apis.meta.time import Time


class ApiStruct(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Base of every part of a kind; a subclass says `frozen=True, kw_only=True` again, for the type checker."""


class OwnerReference(ApiStruct, frozen=True, kw_only=True):
    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool = False
    block_owner_deletion: bool = False


class ObjectMeta(ApiStruct, frozen=True, kw_only=True):
    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: Time | None = None
    deletion_timestamp: Time | None = None
    deletion_grace_period_seconds: int | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    finalizers: list[str] = []
    owner_references: list[OwnerReference] = []

    @property
    def key(self) -> Key:
        return Key(self.namespace, self.name)

    @property
    def is_being_deleted(self) -> bool:
        return self.deletion_timestamp is not None

    @property
    def controller_owner(self) -> OwnerReference | None:
        return next((owner for owner in self.owner_references if owner.controller), None)


class ListMeta(ApiStruct, frozen=True, kw_only=True):
    resource_version: str = ""
    continue_: str = msgspec.field(name="continue", default="")
    remaining_item_count: int | None = None


_Text = Annotated[str, Meta(max_length=32768)]
_ConditionType = Annotated[
    str,
    Meta(
        max_length=316,
        pattern=r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    ),
]
_Reason = Annotated[str, Meta(min_length=1, max_length=1024, pattern=r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")]


class Condition(ApiStruct, frozen=True, kw_only=True):
    """One aspect of the state that the object was last seen in."""

    type: _ConditionType
    status: Annotated[str, Meta(extra_json_schema={"enum": ["True", "False", "Unknown"]})]
    last_transition_time: Time
    reason: _Reason
    message: _Text
    observed_generation: Annotated[int, Meta(ge=0)] = 0


class KubeObject(ApiStruct, frozen=True, kw_only=True):
    """Base of every typed kind. `apiVersion` and `kind` come from the class and are added when it is encoded.

    A subclass says `frozen=True, kw_only=True` again, for the type checker; camelCase names are inherited.
    """

    metadata: ObjectMeta = ObjectMeta()

    @property
    def key(self) -> Key:
        return self.metadata.key


class PartialObject(KubeObject, frozen=True, kw_only=True):
    """Any object, metadata only."""


class Unstructured(KubeObject, frozen=True, kw_only=True):
    """An object of a kind that has no Struct; `content` is the whole of it as the server sent it."""

    content: dict[str, Any] = {}
