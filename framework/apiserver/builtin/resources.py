"""Which built-in resources there are, and what discovery says of them."""

from collections.abc import Mapping, Sequence
from functools import cache

import msgspec

from framework.apiserver.builtin.definitions import DATA
from framework.apiserver.objects import GroupKind, GroupResource
from framework.apiserver.resource import ScalePaths

FieldPath = tuple[str, ...]
# Subresources that need a kubelet or a network: they are known, but refused, and discovery does not tell of them.
NOT_SERVED = frozenset({"attach", "ephemeralcontainers", "exec", "log", "portforward", "proxy", "resize"})


class BuiltinSubresource(msgspec.Struct, frozen=True, rename="camel"):
    """*kind* is what it reads and writes: the object's own, or one such as Scale of another group."""

    name: str
    kind: str
    group: str
    version: str
    verbs: tuple[str, ...]


class BuiltinResource(msgspec.Struct, frozen=True, rename="camel"):
    """One resource of one group and version."""

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    is_namespaced: bool
    verbs: tuple[str, ...]
    short_names: tuple[str, ...]
    categories: tuple[str, ...]
    # The name of its schema in definitions().
    schema: str
    subresources: tuple[BuiltinSubresource, ...]

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def kind_in_errors(self) -> GroupKind:
        """What messages about invalid objects call it: by the group it is stored in."""
        return GroupKind(self.storage.group, self.kind)

    @property
    def list_kind(self) -> str:
        return self.kind + "List"

    @property
    def is_virtual(self) -> bool:
        """Whether it is only a question to the server: nothing is ever stored."""
        return self.verbs == ("create",)

    @property
    def storage(self) -> GroupResource:
        # Both groups of events show the same objects, which are kept as those of the core group.
        return GroupResource("" if self.plural == "events" else self.group, self.plural)

    @property
    def storage_version(self) -> str:
        return "v1"

    @property
    def served_subresources(self) -> frozenset[str]:
        return frozenset(one.name for one in self.subresources) - NOT_SERVED

    @property
    def scale(self) -> ScalePaths | None:
        if not any(one.name == "scale" for one in self.subresources):
            return None
        return ScalePaths(("spec", "replicas"), ("status", "replicas"), ("spec", "selector"))

    @property
    def reset_fields(self) -> Mapping[str, Sequence[FieldPath]]:
        """By subresource, what a write to it cannot change: server-side apply must not own these fields there."""
        names = {one.name for one in self.subresources}
        if "status" not in names:
            return {}
        fields = {"": _STATUS, "status": (("spec",), *_MORE_RESET_IN_STATUS.get(self.kind, ()))}
        if "finalize" in names:
            fields["finalize"] = _STATUS
        return fields


_STATUS: tuple[FieldPath, ...] = (("status",),)
_MORE_RESET_IN_STATUS: Mapping[str, tuple[FieldPath, ...]] = {
    "Pod": (("metadata", "deletionTimestamp"), ("metadata", "ownerReferences")),
    "Deployment": (("metadata", "labels"),),
}


@cache
def builtin_resources() -> Sequence[BuiltinResource]:
    """All of them, in the order in which discovery lists their groups."""
    return msgspec.json.decode((DATA / "resources.json").read_bytes(), type=tuple[BuiltinResource, ...])
