"""What admission is asked."""

from typing import NamedTuple

import msgspec

from framework.apiserver.auth import UserInfo
from framework.apiserver.deadline import Deadline
from framework.apiserver.objects import GroupKind, Object
from framework.apiserver.resource import Resource


class GroupVersionKind(NamedTuple):
    group: str
    version: str
    kind: str


class AdmissionRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One write: *operation* is CREATE, UPDATE or DELETE; a deletion has no *object*, a creation no *old_object*.

    *namespace* is that of the URL; for a Namespace it is its own name.
    """

    operation: str
    resource: Resource
    subresource: str = ""
    namespace: str = ""
    # "" as long as the name has yet to be generated.
    name: str = ""
    object: Object | None
    old_object: Object | None = None
    user: UserInfo
    dry_run: bool = False
    options: Object | None = None
    deadline: Deadline | None = None
    # What the answer's Warning headers will say; webhooks add to it.
    warnings: list[str] = msgspec.field(default_factory=list)

    @property
    def kind(self) -> GroupVersionKind:
        """The kind of the object, which for a subresource may be another one than the resource's."""
        resource, obj = self.resource, self.object or self.old_object or {}
        kind = obj.get("kind")
        if not self.subresource or not kind:
            return GroupVersionKind(resource.group, resource.version, resource.kind)
        group, _, version = obj.get("apiVersion", "").rpartition("/")
        return GroupVersionKind(group, version, kind)

    @property
    def group_kind(self) -> GroupKind:
        return GroupKind(self.kind.group, self.kind.kind)

    @property
    def name_in_messages(self) -> str:
        metadata = (self.object or {}).get("metadata") or {}
        return self.name or metadata.get("name") or metadata.get("generateName") or "Unknown"
