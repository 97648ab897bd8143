"""Makes what an Application needs beside its Instance, and tells how far it is."""

from collections.abc import Sequence
from typing import Any

import msgspec

from apis.laf.application import Application, ApplicationSpec
from apis.meta import Key, Unstructured
from apis.meta.quantity import parse_quantity
from controllers.application.dependency import DEPENDENCIES, AdoptedBundle, Dependency, Passwords
from controllers.application.removal import Removal, is_ours, remove_ours
from controllers.laf.optional_kinds import OptionalKinds
from controllers.laf.optional_objects import is_ready, storage_of
from controllers.reporting.observation import Observation
from framework.client import Client
from framework.errors import AlreadyExists, ApiError, BadRequest, Forbidden, Invalid, WindlassError

# Their texts may quote what was sent, and that has a password in it.
_REFUSALS = (BadRequest, Forbidden, Invalid)
_NOT_INSTALLED, _COLLISION, _NOT_CREATED = "NotInstalled", "NameCollision", "NotCreated"


class Dependent(msgspec.Struct, frozen=True):
    """One dependency of one Application, as it is now."""

    dependency: Dependency
    created: Observation
    ready: Observation

    @property
    def is_used(self) -> bool:
        """Whether the Instance shall refer to it."""
        return self.created.reason not in {_NOT_INSTALLED, _COLLISION}

    @property
    def is_in_trouble(self) -> bool:
        """Nothing that this controller hears of may ever change it."""
        return self.created.status == "False"


class Dependencies:
    def __init__(self, *, optional: OptionalKinds, client: Client, passwords: Passwords) -> None:
        self._optional = optional
        self._client = client
        self._passwords = passwords

    def ensure(
        self, application: Application, spec: ApplicationSpec, bundle: AdoptedBundle | None
    ) -> Sequence[Dependent]:
        return [self._ensure(dependency, application, spec, bundle) for dependency in DEPENDENCIES]

    def _ensure(
        self, dependency: Dependency, application: Application, spec: ApplicationSpec, bundle: AdoptedBundle | None
    ) -> Dependent:
        lister = self._optional.lister_of(dependency.resource_type)
        if lister is None:
            return _dependent(dependency, is_created=True, reason=_NOT_INSTALLED, is_ready=True)
        key = Key(application.metadata.namespace, spec.appid)
        found = lister.get(key)
        if found is None:
            if not dependency.is_known(bundle):
                return _dependent(dependency, reason=_NOT_CREATED, message="waits for a Bundle")
            try:
                found = self._create(dependency, dependency.manifest(application, spec, bundle, self._passwords), key)
            except _REFUSALS as error:
                message = f"the server refused {dependency.kind} {key}: {_without_values(error)}"
                return _dependent(dependency, reason=_NOT_CREATED, message=message)
        if not is_ours(found, application):
            message = f"{dependency.kind} {key} is not controlled by this Application; delete or rename it"
            return _dependent(dependency, reason=_COLLISION, message=message)
        self._keep_capacity(dependency, found, bundle)
        return _dependent(dependency, is_created=True, reason=f"{dependency.name}Created", is_ready=is_ready(found))

    def _create(self, dependency: Dependency, manifest: Unstructured, key: Key) -> Unstructured:
        kind = dependency.resource_type
        try:
            return self._client.create(manifest, kind=kind)
        except AlreadyExists:
            # Made before a crash, perhaps: its password stays.
            return self._client.get(kind, key)

    def _keep_capacity(self, dependency: Dependency, found: Unstructured, bundle: AdoptedBundle | None) -> None:
        wanted = dependency.storage(bundle)
        if wanted is None or found.metadata.is_being_deleted or _is_worth(storage_of(found), wanted):
            return
        try:
            patch = {"capacity": {"storage": wanted}}
            self._client.patch_spec(found, patch, kind=dependency.resource_type)
        except _REFUSALS as error:
            message = f"the server refused the capacity of {dependency.kind} {found.key}: {_without_values(error)}"
            raise WindlassError(message) from None

    def remove(self, application: Application, spec: ApplicationSpec, dependency: Dependency) -> Observation:
        """Delete what is ours; what is seen of that, which is over once it is True."""
        condition = f"{dependency.name}Deleted"
        lister = self._optional.lister_of(dependency.resource_type)
        if lister is None:
            return Observation(condition, "True", _NOT_INSTALLED)
        key = Key(application.metadata.namespace, spec.appid)
        match remove_ours(self._client, dependency.resource_type, key, lister.get(key), application):
            case Removal.GONE:
                return Observation(condition, "True", "Deleted")
            case Removal.NOT_OURS:
                return Observation(condition, "True", "NotOwned")
            case Removal.LEAVING:
                return Observation(condition, "False", "Deleting", f"waits for {dependency.kind} {key} to go")


def _dependent(
    dependency: Dependency, *, is_created: bool = False, is_ready: bool = False, reason: str, message: str = ""
) -> Dependent:
    created = Observation(f"{dependency.name}Created", "True" if is_created else "False", reason, message)
    condition = f"{dependency.name}Ready"
    if not is_ready:
        return Dependent(dependency, created, Observation(condition, "False", "WaitingForReady", message))
    ready = Observation(condition, "True", _NOT_INSTALLED if reason == _NOT_INSTALLED else condition)
    return Dependent(dependency, created, ready)


def _is_worth(found: Any, wanted: str) -> bool:
    """Whoever writes the object with a typed client spells amounts in its own way."""
    try:
        return parse_quantity(str(found)).nanos == parse_quantity(wanted).nanos
    except ValueError:
        return False


def _without_values(error: ApiError) -> str:
    fields = ", ".join(dict.fromkeys(cause.field for cause in error.causes if cause.field))
    return f"{error.reason} ({fields})" if fields else error.reason
