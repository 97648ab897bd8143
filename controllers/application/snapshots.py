"""Which Bundle and Runtime an Application runs with: those that it names, once it may adopt them."""

from typing import Any, TypeVar

import msgspec

from apis.laf.application import Application, ApplicationSpec
from apis.laf.bundle import Bundle
from apis.laf.runtime import Runtime
from apis.meta import Key
from controllers.laf.catalogue import BUNDLES, RUNTIMES, Catalogue, adoption_refusal
from controllers.reporting.observation import Observation
from framework.listers import Lister

T = TypeVar("T", Bundle, Runtime)


class Adoption(msgspec.Struct, frozen=True):
    """What is seen of the entries that an Application names, and those that are in force; None: as the status says."""

    seen: tuple[Observation, Observation]
    bundle: Bundle | None
    runtime: Runtime | None

    @property
    def fields(self) -> dict[str, Any]:
        """Of the status, by their JSON names."""
        fields: dict[str, Any] = {}
        if self.bundle is not None:
            fields |= {"bundleName": self.bundle.metadata.name, "bundleSpec": self.bundle.spec}
        if self.runtime is not None:
            fields |= {"runtimeName": self.runtime.metadata.name, "runtimeSpec": self.runtime.spec}
        return fields


class Snapshots:
    def __init__(self, *, bundles: Lister[Bundle], runtimes: Lister[Runtime], system_namespace: str) -> None:
        self._bundles = bundles
        self._runtimes = runtimes
        self._system_namespace = system_namespace

    def adopt(self, application: Application, spec: ApplicationSpec) -> Adoption:
        status = application.status
        seen_bundle, bundle = self._adopt(BUNDLES, self._bundles, spec.bundle_name, status.bundle_name)
        seen_runtime, runtime = self._adopt(RUNTIMES, self._runtimes, spec.runtime_name, status.runtime_name)
        return Adoption((seen_bundle, seen_runtime), bundle, runtime)

    def _adopt(
        self, catalogue: Catalogue[T], entries: Lister[T], wanted: str, adopted: str
    ) -> tuple[Observation, T | None]:
        """What is seen of *wanted*, and which entry is in force."""
        condition = f"{catalogue.kind.__name__}Initialized"
        key = Key(self._system_namespace, wanted)
        entry = entries.get(key)
        # Who uses it already keeps it, whatever is said to new users.
        is_kept = wanted == adopted and entry is not None and entry.spec is not None
        refusal = None if is_kept else adoption_refusal(catalogue, entry, key)
        if refusal is None:
            return Observation(condition, "True", condition), entry
        reason, message = refusal
        # The one before stays in force, and may be edited meanwhile.
        before = entries.get(Key(self._system_namespace, adopted)) if adopted else None
        return Observation(condition, "False", reason, message), before
