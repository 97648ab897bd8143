"""One resource in one served version, and the rules of its kind."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from framework.apiserver.fields import FieldError
from framework.apiserver.objects import GroupKind, GroupResource, Object


class Strategy(Protocol):
    """What is special about a kind. The server does what is common: names, versions, metadata, finalizers.

    Objects that are to be changed are changed in place; *subresource* is "" for the object itself.
    """

    # A PUT without resourceVersion overwrites; otherwise it is invalid.
    allows_unconditional_update: bool
    # A PUT to a name that does not exist creates it.
    allows_create_on_update: bool

    def prune(self, obj: Object) -> Sequence[str]:
        """Take out the fields that the schema does not know; return their paths, e.g. `spec.template.foo`."""

    def default(self, obj: Object) -> None:
        """Fill in what the kind defaults."""

    def prepare_for_create(self, obj: Object) -> None:
        """Drop what a create cannot set (mostly status) and set the initial generation, where the kind has one."""

    def prepare_for_update(self, new: Object, old: Object, subresource: str) -> None:
        """Restore what this endpoint cannot change, and raise the generation where the desired state changes."""

    def grace_seconds(self, obj: Object, requested: int | None) -> int | None:
        """How long the deletion of *obj* waits for somebody to confirm it; None for kinds that go at once."""

    def validate(self, obj: Object) -> Sequence[FieldError]: ...

    def validate_update(self, new: Object, old: Object, subresource: str) -> Sequence[FieldError]: ...

    def warnings(self, obj: Object) -> Sequence[str]:
        """What the server says in Warning headers about an object that it takes all the same."""

    def update_warnings(self, new: Object, old: Object) -> Sequence[str]:
        """As `warnings`, for an update."""

    def selectable_fields(self, obj: Object) -> Mapping[str, str]:
        """The values that field selectors can ask for, beyond metadata.name and metadata.namespace."""

    def is_selectable(self, field: str) -> bool:
        """Whether field selectors may ask for *field*; metadata.name and metadata.namespace always work."""


class Manager(msgspec.Struct, frozen=True):
    """Who writes, as managedFields tell it."""

    name: str
    api_version: str
    subresource: str = ""


class FieldManager(Protocol):
    """Keeps metadata.managedFields."""

    def update(self, live: Object | None, new: Object, manager: Manager, now: str) -> None:
        """Set new's managedFields for a create (*live* is None), a PUT or a patch. Never fails on odd entries.

        *now* is the time of the write as managedFields spell it. Entries whose fields do not change keep theirs.
        """

    def apply(self, live: Object | None, patch: Object, manager: Manager, now: str, *, force: bool) -> Object:
        """The outcome of a server-side apply, with managedFields; equal to *live* if nothing changes.

        Raises Conflict, as the real server words it, if another manager has other values and *force* is not given.
        """


class ScaleManager(Protocol):
    """Keeps metadata.managedFields of an object through writes to its scale subresource."""

    def update(self, live: Object, old: Object, new: Object, manager: str, now: str) -> Sequence[Any]:
        """The entries of *live* after its scale went from *old* to *new* by a PUT or a patch."""

    def apply(
        self, live: Object, old: Object, patch: Object, manager: str, now: str, *, force: bool
    ) -> tuple[Object, Sequence[Any]]:
        """The scale that *patch* makes of *old*, and the entries of *live* then; raises Conflict."""


class Merger(Protocol):
    def strategic_merge(self, live: Object, patch: Object) -> Object:
        """Strategic merge patch by the kind's merge keys; BadRequest for unknown directives."""


class ScalePaths(msgspec.Struct, frozen=True):
    """Where the scale subresource finds its numbers, as paths of names without the leading dot."""

    spec_replicas: tuple[str, ...]
    status_replicas: tuple[str, ...]
    # The path of a selector: serialized as a string, or a LabelSelector object.
    selector: tuple[str, ...] | None = None


class Column(msgspec.Struct, frozen=True):
    """A column of a Table answer."""

    name: str
    type: str = "string"
    format: str = ""
    description: str = ""
    priority: int = 0


class TablePrinter(Protocol):
    columns: Sequence[Column]

    def cells(self, obj: Object, now: float) -> Sequence[Any]:
        """One row; *now* is the wall clock in seconds since 1970, for ages."""


class KindRules(Protocol):
    """All that is code about a kind. Built-in kinds load theirs at first use: a server has many and needs few."""

    @property
    def strategy(self) -> Strategy: ...

    @property
    def field_manager(self) -> FieldManager: ...

    @property
    def table(self) -> TablePrinter: ...

    @property
    def merger(self) -> Merger | None:
        """None: strategic merge patches are refused with 415, as custom resources do."""

    @property
    def scale_manager(self) -> ScaleManager | None:
        """None: there is no scale subresource."""


class ReadyRules(msgspec.Struct, frozen=True):
    """Rules that are there already."""

    strategy: Strategy
    field_manager: FieldManager
    table: TablePrinter
    merger: Merger | None = None
    scale_manager: ScaleManager | None = None


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """One resource as one version serves it."""

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    list_kind: str
    is_namespaced: bool
    rules: KindRules
    # From a CustomResourceDefinition.
    is_custom: bool = False
    # Its definition is being deleted: nothing can be created any more.
    is_terminating: bool = False
    verbs: tuple[str, ...] = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
    subresources: frozenset[str] = frozenset()
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    scale: ScalePaths | None = None
    # The name of the schema by which protobuf bodies are read; empty: they are refused, as custom resources do.
    schema_name: str = ""
    # Where the objects are kept: differs from group and plural only where two groups serve the same objects.
    storage: GroupResource
    # The apiVersion in which they are kept.
    storage_api_version: str
    # Turns an object into another served apiVersion; None where there is only one.
    convert: Callable[[Object, str], Object] | None = None
    # A deletion answers with the object instead of a Status.
    returns_deleted_object: bool = False
    # Changes an object when its deletion is first asked for.
    mark_deleted: Callable[[Object], None] | None = None
    # Whether something beyond metadata.finalizers still holds back the deletion.
    holds: Callable[[Object], bool] | None = None

    def is_held(self, obj: Object) -> bool:
        return bool(obj["metadata"].get("finalizers")) or (self.holds is not None and self.holds(obj))

    @property
    def strategy(self) -> Strategy:
        return self.rules.strategy

    @property
    def field_manager(self) -> FieldManager:
        return self.rules.field_manager

    @property
    def table(self) -> TablePrinter:
        return self.rules.table

    @property
    def merger(self) -> Merger | None:
        return self.rules.merger

    @property
    def group_resource(self) -> GroupResource:
        return GroupResource(self.group, self.plural)

    @property
    def group_kind(self) -> GroupKind:
        return GroupKind(self.group, self.kind)

    @property
    def kind_in_errors(self) -> GroupKind:
        """What messages about invalid objects call it: by the group it is stored in."""
        return GroupKind(self.storage.group, self.kind)

    def kind_of(self, obj: Object) -> GroupKind:
        """What messages about *obj* call it: a custom resource goes by the kind that it claims to be of."""
        if not self.is_custom:
            return self.kind_in_errors
        return GroupKind(obj["apiVersion"].rpartition("/")[0], obj["kind"])

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version
