"""Bundles and Runtimes as others refer to them."""

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

import msgspec

from apis.laf.application import Application
from apis.laf.bundle import Bundle
from apis.laf.instance import Instance
from apis.laf.runtime import Runtime
from apis.meta import Key, KubeObject

T = TypeVar("T", bound=KubeObject)


class Catalogue(msgspec.Struct, Generic[T], frozen=True):
    """One kind of entry, and where its name stands in those who use it."""

    kind: type[T]
    finalizer: str
    names_in_application: Callable[[Application], Iterable[str]]
    # What the spec says, which is a name only if it is a text, and in which namespace.
    in_instance: Callable[[Instance], tuple[Any, str]]
    # Why it may not be adopted by who does not use it yet, and what that means; None: it may.
    refusal_of: Callable[[T], tuple[str, str] | None]

    def named_by_application(self, application: Application, system_namespace: str) -> tuple[Key, ...]:
        names = dict.fromkeys(self.names_in_application(application))
        return tuple(Key(system_namespace, name) for name in names if name)

    def named_by_instance(self, instance: Instance, system_namespace: str) -> tuple[Key, ...]:
        name, namespace = self.in_instance(instance)
        return (Key(namespace or system_namespace, name),) if isinstance(name, str) and name else ()


def adoption_refusal(catalogue: Catalogue[T], entry: T | None, key: Key) -> tuple[str, str] | None:
    """Reason and message why the entry called *key* may not be adopted; None if it may."""
    what = catalogue.kind.__name__
    if entry is None:
        return "NotFound", f"{what} {key} does not exist"
    if entry.metadata.is_being_deleted:
        return "Terminating", f"{what} {key} is being deleted"
    return catalogue.refusal_of(entry)


def _refusal_of_bundle(bundle: Bundle) -> tuple[str, str] | None:
    if bundle.spec is None or bundle.spec.priority == 0:
        return "Unavailable", f"Bundle {bundle.key} is not offered: its priority is 0"
    return None


def _refusal_of_runtime(runtime: Runtime) -> tuple[str, str] | None:
    if runtime.spec is None:
        return "NotFound", f"Runtime {runtime.key} has no spec"
    return ("Deprecated", f"Runtime {runtime.key} is deprecated") if runtime.spec.deprecated else None


BUNDLES = Catalogue(
    Bundle,
    "bundle.application.laf.dev",
    lambda application: (application.spec.bundle_name if application.spec else "", application.status.bundle_name),
    lambda instance: (instance.spec.bundle, instance.spec.bundle_namespace) if instance.spec else (None, ""),
    _refusal_of_bundle,
)
RUNTIMES = Catalogue(
    Runtime,
    "runtime.finalizers.laf.dev",
    lambda application: (application.spec.runtime_name if application.spec else "", application.status.runtime_name),
    lambda instance: (instance.spec.runtime, instance.spec.runtime_namespace) if instance.spec else (None, ""),
    _refusal_of_runtime,
)
