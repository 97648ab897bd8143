"""What an Instance refers to, read and judged."""

from typing import Any, TypeVar

import msgspec

from apis.laf.bundle import Bundle, BundleSpec
from apis.laf.instance import Instance, InstanceSpec
from apis.laf.runtime import Runtime, RuntimeSpec
from apis.meta import Key, ResourceType, Unstructured
from controllers.instance.needs import nanos
from controllers.laf.optional_kinds import DATABASE, OSS_USER, OptionalKinds
from controllers.laf.optional_objects import OssAccess, database_uri, is_ready, oss_access
from framework.listers import Lister

Spec = TypeVar("Spec", BundleSpec, RuntimeSpec)

_POSITIVE = ("requestCPU", "requestMemory", "limitCPU", "limitMemory")
_AT_MOST = (("requestCPU", "limitCPU"), ("requestMemory", "limitMemory"))
_OTHER_QUANTITIES = (
    "databaseCapacity",
    "storageCapacity",
    "networkTrafficOutbound",
    "networkBandwidthOutbound",
    "networkBandwidthInbound",
)
_FIELDS = {field.encode_name: field.name for field in msgspec.structs.fields(BundleSpec)}


class Unresolved(Exception):
    """Something that the Instance refers to cannot be used: reason and message of its condition."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class DatabaseAccess(msgspec.Struct, frozen=True):
    name: str
    uri: str

    def __repr__(self) -> str:
        # The generated one would print the password in the URI.
        return f"DatabaseAccess({self.name!r})"


class Inputs(msgspec.Struct, frozen=True):
    bundle: BundleSpec
    runtime: RuntimeSpec
    database: DatabaseAccess | None = None
    storage: OssAccess | None = None


class InputReader:
    def __init__(
        self, *, bundles: Lister[Bundle], runtimes: Lister[Runtime], optional: OptionalKinds, system_namespace: str
    ) -> None:
        self._bundles = bundles
        self._runtimes = runtimes
        self._optional = optional
        self._system_namespace = system_namespace

    def read(self, instance: Instance, spec: InstanceSpec) -> Inputs:
        """All that *spec* names; raises Unresolved."""
        own = instance.metadata.namespace
        return Inputs(
            self._bundle(spec, own), self._runtime(spec, own), self._database(spec, own), self._storage(spec, own)
        )

    def _bundle(self, spec: InstanceSpec, own: str) -> BundleSpec:
        if not isinstance(spec.bundle, str):
            return _checked(_inline(spec.bundle, BundleSpec, "bundle"), "InvalidSpec", "spec.bundle")
        key = self._shared("bundleNamespace", spec.bundle_namespace, own, spec.bundle)
        bundle = self._bundles.get(key)
        if bundle is None:
            raise Unresolved("BundleNotFound", f"Bundle {key} does not exist")
        if bundle.spec is None:
            raise Unresolved("BundleInvalid", f"Bundle {key} has no spec")
        return _checked(bundle.spec, "BundleInvalid", f"Bundle {key}")

    def _runtime(self, spec: InstanceSpec, own: str) -> RuntimeSpec:
        if not isinstance(spec.runtime, str):
            return _inline(spec.runtime, RuntimeSpec, "runtime")
        key = self._shared("runtimeNamespace", spec.runtime_namespace, own, spec.runtime)
        runtime = self._runtimes.get(key)
        if runtime is None:
            raise Unresolved("RuntimeNotFound", f"Runtime {key} does not exist")
        if runtime.spec is None:
            raise Unresolved("RuntimeNotFound", f"Runtime {key} has no spec")
        return runtime.spec

    def _database(self, spec: InstanceSpec, own: str) -> DatabaseAccess | None:
        if not spec.database:
            return None
        key = _own("databaseNamespace", spec.database_namespace, own, spec.database)
        uri = database_uri(self._ready(DATABASE, key, "Database"))
        if not uri:
            raise Unresolved("DatabaseNotReady", f"Database {key} has no status.connectionUri")
        return DatabaseAccess(spec.database, uri)

    def _storage(self, spec: InstanceSpec, own: str) -> OssAccess | None:
        if not spec.oss_user:
            return None
        key = _own("ossUserNamespace", spec.oss_user_namespace, own, spec.oss_user)
        access = oss_access(self._ready(OSS_USER, key, "OssUser"))
        if not access.is_complete:
            raise Unresolved("OssUserNotReady", f"User {key} lacks one of accessKey, secretKey, endpoint, region")
        return access

    def _ready(self, resource_type: ResourceType, key: Key, what: str) -> Unstructured:
        lister = self._optional.lister_of(resource_type)
        if lister is None:
            raise Unresolved(f"{what}NotFound", f"{resource_type.name} is not installed")
        found = lister.get(key)
        if found is None:
            raise Unresolved(f"{what}NotFound", f"{resource_type.gvk.kind} {key} does not exist")
        if not is_ready(found):
            raise Unresolved(f"{what}NotReady", f"{resource_type.gvk.kind} {key} is not ready")
        return found

    def _shared(self, field: str, namespace: str, own: str, name: str) -> Key:
        if not name:
            raise Unresolved("InvalidSpec", f"spec.{field.removesuffix('Namespace')} is empty")
        if namespace not in ("", own, self._system_namespace):
            raise Unresolved(
                "CrossNamespaceReference", f"spec.{field} must be {own} or {self._system_namespace}, not {namespace}"
            )
        return Key(namespace or self._system_namespace, name)


def _own(field: str, namespace: str, own: str, name: str) -> Key:
    if namespace not in ("", own):
        raise Unresolved("CrossNamespaceReference", f"spec.{field} must be {own}, not {namespace}")
    return Key(own, name)


def _inline(value: Any, cls: type[Spec], field: str) -> Spec:
    if not isinstance(value, dict):
        raise Unresolved("InvalidSpec", f"spec.{field} must be a name, or the spec of one")
    try:
        return msgspec.convert(value, cls)
    except msgspec.ValidationError as error:
        raise Unresolved("InvalidSpec", f"spec.{field}: {error}") from None


def _checked(bundle: BundleSpec, reason: str, where: str) -> BundleSpec:
    """What the schema of Bundles says, which nobody has applied to an inline one."""
    amounts: dict[str, int] = {}
    for name in (*_POSITIVE, *_OTHER_QUANTITIES):
        try:
            amounts[name] = nanos(getattr(bundle, _FIELDS[name]))
        except ValueError:
            raise Unresolved(reason, f"{where}: {name} is not a quantity") from None
        if amounts[name] < 0 or (name in _POSITIVE and not amounts[name]):
            least = "greater than 0" if name in _POSITIVE else "of at least 0"
            raise Unresolved(reason, f"{where}: {name} must be a quantity {least}")
    for low, high in _AT_MOST:
        if amounts[low] > amounts[high]:
            raise Unresolved(reason, f"{where}: {low} must not be more than {high}")
    return bundle
