"""The kinds that an Application needs an object of, if they are installed."""

from collections.abc import Callable
from typing import Any

import msgspec

from apis.laf.application import Application, ApplicationSpec
from apis.laf.bundle import BundleSnapshot, BundleSpec
from apis.meta import ResourceType, Unstructured, controller_reference
from controllers.laf.labels import APPID_LABEL
from controllers.laf.optional_kinds import DATABASE, GATEWAY, OSS_USER

# The shortest name of a user that a Database accepts.
_SHORTEST_USERNAME = 6
Passwords = Callable[[], str]
# As it is in the catalogue, or as it was when it was last seen there.
AdoptedBundle = BundleSpec | BundleSnapshot


class Dependency(msgspec.Struct, frozen=True):
    """One kind; its objects are called like the appid."""

    resource_type: ResourceType
    # How its conditions begin.
    name: str
    # Without the capacity, which follows the bundle.
    spec_of: Callable[[ApplicationSpec, Passwords], dict[str, Any]]
    # None: it has no capacity.
    capacity_of: Callable[[AdoptedBundle], Any] | None = None

    @property
    def kind(self) -> str:
        return self.resource_type.gvk.kind

    def storage(self, bundle: AdoptedBundle | None) -> str | None:
        """What it must have according to *bundle*; None if that is not known, or it has none."""
        if self.capacity_of is None or bundle is None:
            return None
        found = self.capacity_of(bundle)
        return None if found is None else str(found)

    def is_known(self, bundle: AdoptedBundle | None) -> bool:
        """Whether all is there that it is made from."""
        return self.capacity_of is None or self.storage(bundle) is not None

    def manifest(
        self,
        application: Application,
        spec: ApplicationSpec,
        bundle: AdoptedBundle | None,
        passwords: Passwords,
    ) -> Unstructured:
        metadata = {
            "name": spec.appid,
            "namespace": application.metadata.namespace,
            "labels": {APPID_LABEL: spec.appid},
            "ownerReferences": [msgspec.to_builtins(controller_reference(application))],
        }
        storage = self.storage(bundle)
        capacity = {} if storage is None else {"capacity": {"storage": storage}}
        return Unstructured(content={"metadata": metadata, "spec": {**self.spec_of(spec, passwords), **capacity}})


def _database(spec: ApplicationSpec, passwords: Passwords) -> dict[str, Any]:
    username = spec.appid if len(spec.appid) >= _SHORTEST_USERNAME else f"laf-{spec.appid}"
    return {"provider": "mongodb", "region": spec.region, "username": username, "password": passwords()}


def _user(spec: ApplicationSpec, passwords: Passwords) -> dict[str, Any]:
    return {"provider": "minio", "region": spec.region, "appid": spec.appid, "password": passwords()}


def _gateway(spec: ApplicationSpec, _passwords: Passwords) -> dict[str, Any]:
    return {"appid": spec.appid}


# In the order in which they are made; they go in the opposite one.
DEPENDENCIES = (
    Dependency(DATABASE, "Database", _database, lambda bundle: bundle.database_capacity),
    Dependency(OSS_USER, "ObjectStorage", _user, lambda bundle: bundle.storage_capacity),
    Dependency(GATEWAY, "Gateway", _gateway),
)
