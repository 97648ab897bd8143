"""What the strategies of all built-in kinds have in common."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from framework.apiserver.builtin.compiler import shape_of
from framework.apiserver.builtin.reading import read_as
from framework.apiserver.builtin.resources import BuiltinResource
from framework.apiserver.fields import FieldError, first_problems
from framework.apiserver.objectmeta import NameRule, subdomain_name, validate_change, validate_new
from framework.apiserver.objects import Object

Selectable = Mapping[str, Callable[[Object], str]]


class BuiltinStrategy:
    """The rules of one kind. Kinds differ by what they override."""

    allows_unconditional_update: bool = True
    allows_create_on_update: bool = False
    # Whether the kind looks at its metadata at all, and whether it does so again with each update.
    checks_metadata: ClassVar[bool] = True
    rechecks_metadata: ClassVar[bool] = False
    # Whether finalizers without a domain must be of those that Kubernetes knows.
    has_core_finalizers: ClassVar[bool] = True
    # Whether an update is judged before the object that it leads to: the order of the errors tells.
    judges_update_first: ClassVar[bool] = False
    # Whether metadata.generation counts the changes of the desired state.
    has_generation: ClassVar[bool] = False
    # The fields that selectors can ask for.
    selectable: ClassVar[Selectable] = {}

    def __init__(self, resource: BuiltinResource) -> None:
        self._resource = resource
        self._has_status = any(one.name == "status" for one in resource.subresources)

    def name_rule(self) -> NameRule:
        """What names must look like."""
        return subdomain_name

    def prune(self, obj: Object) -> Sequence[str]:
        """Also refuses values of a wrong type with BadRequest, and writes all values as Go would."""
        resource = self._resource
        return read_as(resource.schema, obj, kind=resource.kind, version=resource.version)

    def default(self, obj: Object) -> None:
        shape_of(self._resource.schema).fill(obj)

    def prepare_for_create(self, obj: Object) -> None:
        if self._has_status:
            obj["status"] = self.filled("status", {})
        if self.has_generation:
            obj["metadata"]["generation"] = 1

    def prepare_for_update(self, new: Object, old: Object, subresource: str) -> None:
        if subresource == "status":
            self.prepare_status_update(new, old)
            return
        if self._has_status:
            new["status"] = old.get("status", {})
        self.prepare_spec_update(new, old)
        if self.has_generation:
            count = old["metadata"].get("generation", 0)
            new["metadata"]["generation"] = count + 1 if self.differs(new, old) else count

    def prepare_spec_update(self, new: Object, old: Object) -> None:
        """Restore what an update of the object cannot change, beyond its status."""

    def prepare_status_update(self, new: Object, old: Object) -> None:
        """Restore all but the status and the metadata."""
        for field in (*new, *old):
            if field not in {"apiVersion", "kind", "metadata", "status"}:
                restore(new, old, field)
        if self.has_generation:
            restore(new["metadata"], old["metadata"], "generation")

    def differs(self, new: Object, old: Object) -> bool:
        """Whether the desired state is another one."""
        return bool(new.get("spec") != old.get("spec"))

    def grace_seconds(self, obj: Object, requested: int | None) -> int | None:  # noqa: ARG002 - most go at once
        return None

    def validate(self, obj: Object) -> Sequence[FieldError]:
        return first_problems(self.metadata_problems(obj), self.problems(obj), self.create_problems(obj))

    def validate_update(self, new: Object, old: Object, subresource: str) -> Sequence[FieldError]:
        change = validate_change(new, old, has_core_finalizers=self.has_core_finalizers) if self.checks_metadata else []
        if subresource == "status":
            return first_problems(change, self.status_problems(new, old))
        again = self.metadata_problems(new) if self.rechecks_metadata else ()
        if self.judges_update_first:
            return first_problems(change, self.update_problems(new, old), again, self.problems(new))
        return first_problems(change, again, self.problems(new), self.update_problems(new, old))

    def metadata_problems(self, obj: Object) -> Sequence[FieldError]:
        if not self.checks_metadata:
            return ()
        return validate_new(
            obj,
            is_namespaced=self._resource.is_namespaced,
            name_rule=self.name_rule(),
            has_core_finalizers=self.has_core_finalizers,
        )

    def problems(self, obj: Object) -> Iterable[FieldError]:  # noqa: ARG002 - for those who override it
        """What is wrong with an object whoever wrote it."""
        return ()

    def create_problems(self, obj: Object) -> Iterable[FieldError]:  # noqa: ARG002 - for those who override it
        """What is wrong only with a new object; later it is let be."""
        return ()

    def update_problems(self, new: Object, old: Object) -> Iterable[FieldError]:  # noqa: ARG002 - for those who override it
        """What is wrong with the change itself."""
        return ()

    def status_problems(self, new: Object, old: Object) -> Iterable[FieldError]:  # noqa: ARG002 - for those who override it
        return ()

    def warnings(self, obj: Object) -> Sequence[str]:  # noqa: ARG002 - for those who override it
        return ()

    def update_warnings(self, new: Object, old: Object) -> Sequence[str]:  # noqa: ARG002 - for those who override it
        return self.warnings(new)

    def selectable_fields(self, obj: Object) -> Mapping[str, str]:
        return {name: read(obj) for name, read in self.selectable.items()}

    def is_selectable(self, field: str) -> bool:
        return field in self.selectable

    def filled(self, field: str, value: Object) -> Object:
        """*value* for a field of the object, as the server shows it."""
        shape_of(self._resource.schema).fields[field].shape.fill(value)
        return value


def restore(new: Object, old: Object, field: str) -> None:
    if field in old:
        new[field] = old[field]
    else:
        new.pop(field, None)


def text_at(*path: str) -> Callable[[Object], str]:
    """A reader of the text at *path*, "" if there is none."""

    def read(obj: Object) -> str:
        value: Any = obj
        for step in path:
            value = value.get(step)
            if value is None:
                return ""
        return str(value)

    return read
