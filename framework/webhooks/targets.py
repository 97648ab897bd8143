"""Where the API server is told whom to trust: webhook configurations and the conversion of definitions."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from apis.meta import GroupVersionKind, Key, ResourceType, Unstructured
from framework.apply import first_difference
from framework.apply.comparison import applied_entry
from framework.certificates.trust import Place, Reading
from framework.client import Client
from framework.errors import Conflict, Invalid, NotFound, Status
from framework.webhooks.configuration import encoded

FIELD_MANAGER = "windlass/webhooks"
CRD = ResourceType(
    GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), "customresourcedefinitions", "Cluster"
)
Document = dict[str, Any]
# A JSON pointer, and what shall stand there.
Change = tuple[str, Any]


class _Nowhere:
    """There is nothing that could call us."""

    def trusts(self, bundle: bytes) -> bool:  # noqa: ARG002 - whichever
        return True

    def write(self, bundle: bytes) -> None:
        """Nothing to do."""


class _Found:
    """An object some of whose fields shall be others."""

    def __init__(
        self,
        client: Client,
        place: Place,
        live: Document,
        changes: Callable[[Document, bytes], list[Change]],
    ) -> None:
        self._client = client
        self._place = place
        self._live = live
        self._changes = changes

    def trusts(self, bundle: bytes) -> bool:
        return not self._changes(self._live, bundle)

    def write(self, bundle: bytes) -> None:
        found = self._live["metadata"]["resourceVersion"]
        version = {"op": "test", "path": "/metadata/resourceVersion", "value": found}
        changes = [{"op": "add", "path": path, "value": value} for path, value in self._changes(self._live, bundle)]
        try:
            self._client.json_patch(self._place.resource_type, self._place.key, [version, *changes])
        except Invalid as error:
            if error.causes:
                raise
            # To the server a test that fails is a patch that cannot be applied, which is all it says.
            raise Conflict(Status(409, "Conflict", f"{self._place} has changed")) from error


class NamedConfiguration:
    """A webhook configuration that somebody else has made for us: each of its entries gets the bundle."""

    def __init__(self, client: Client, resource_type: ResourceType, name: str) -> None:
        self._client = client
        self.place = Place(resource_type, Key("", name))

    def read(self) -> Reading:
        live = _read(self._client, self.place)
        return _Nowhere() if live is None else _Found(self._client, self.place, live, _missing_bundles)


class ManagedConfiguration:
    """A webhook configuration that is what *desired* says with a bundle.

    While *may_manage* says no, somebody else manages it, and only bundles are
    written: replicas of different versions would fight over the rest.
    """

    def __init__(
        self,
        client: Client,
        resource_type: ResourceType,
        name: str,
        desired: Callable[[bytes], Document],
        may_manage: Callable[[], bool],
    ) -> None:
        self._client = client.acting_as(FIELD_MANAGER)
        self._desired = desired
        self._may_manage = may_manage
        self._named = NamedConfiguration(self._client, resource_type, name)
        self.place = self._named.place

    def read(self) -> Reading:
        if not self._may_manage():
            return self._named.read()
        live = _read(self._client, self.place)
        return _Managed(self._client, self.place.resource_type, self._desired, live)


class _Managed:
    def __init__(
        self,
        client: Client,
        resource_type: ResourceType,
        desired: Callable[[bytes], Document],
        live: Document | None,
    ) -> None:
        self._client = client
        self._resource_type = resource_type
        self._desired = desired
        self._live = live

    def trusts(self, bundle: bytes) -> bool:
        return self._live is not None and first_difference(self._desired(bundle), self._live, FIELD_MANAGER) is None

    def write(self, bundle: bytes) -> None:
        desired = self._desired(bundle)
        if self._live is not None:
            version = self._live["metadata"]["resourceVersion"]
            desired["metadata"] = {**desired["metadata"], "resourceVersion": version}
        # By force: what these entries say is said by the program, and by nobody else.
        self._client.apply(self._resource_type, desired, force=True)


class FormerConfiguration:
    """A webhook configuration that an older program of ours has made, and this one has no use for.

    The API server would go on to ask at paths that are not there any more.
    """

    def __init__(self, client: Client, resource_type: ResourceType, name: str, may_manage: Callable[[], bool]) -> None:
        self._client = client
        self._may_manage = may_manage
        self.place = Place(resource_type, Key("", name))

    def read(self) -> Reading:
        live = _read(self._client, self.place) if self._may_manage() else None
        if live is None or applied_entry(live, FIELD_MANAGER) is None:
            return _Nowhere()
        return _Former(self._client, self.place, live)


class _Former:
    def __init__(self, client: Client, place: Place, live: Document) -> None:
        self._client = client
        self._place = place
        self._live = live

    def trusts(self, bundle: bytes) -> bool:  # noqa: ARG002 - whichever
        return False

    def write(self, bundle: bytes) -> None:  # noqa: ARG002 - whichever
        metadata = self._live["metadata"]
        conditions = {"uid": metadata["uid"], "resource_version": metadata["resourceVersion"]}
        with suppress(NotFound):
            self._client.delete(self._place.resource_type, self._place.key, **conditions)


class Conversion:
    """The conversion of a definition; *desired* gives all of it, or None if only the bundle is ours."""

    def __init__(
        self,
        client: Client,
        converted: ResourceType,
        desired: Callable[[bytes], Document],
        may_manage: Callable[[], bool],
    ) -> None:
        self._client = client.acting_as(FIELD_MANAGER)
        self._desired = desired
        self._may_manage = may_manage
        self.place = Place(CRD, Key("", converted.name))

    def read(self) -> Reading:
        live = _read(self._client, self.place)
        if live is None:
            # It comes later, or it will never: without it nobody asks.
            return _Nowhere()
        return _Found(self._client, self.place, live, self._whole if self._may_manage() else _missing_conversion_bundle)

    def _whole(self, live: Document, bundle: bytes) -> list[Change]:
        desired, found = self._desired(bundle), live["spec"].get("conversion")
        return [] if _is_within(desired, found) else [("/spec/conversion", desired)]


def _missing_bundles(live: Document, bundle: bytes) -> list[Change]:
    wanted = encoded(bundle)
    return [
        (f"/webhooks/{index}/clientConfig/caBundle", wanted)
        for index, entry in enumerate(live.get("webhooks") or [])
        if entry["clientConfig"].get("caBundle") != wanted
    ]


def _missing_conversion_bundle(live: Document, bundle: bytes) -> list[Change]:
    webhook = live["spec"].get("conversion", {}).get("webhook") or {}
    wanted = encoded(bundle)
    if "clientConfig" not in webhook or webhook["clientConfig"].get("caBundle") == wanted:
        return []
    return [("/spec/conversion/webhook/clientConfig/caBundle", wanted)]


def _is_within(desired: Any, found: Any) -> bool:
    """Whether all of *desired* is there; what else is there are defaults of the server."""
    if isinstance(desired, dict):
        return isinstance(found, dict) and all(_is_within(value, found.get(name)) for name, value in desired.items())
    return bool(desired == found)


def _read(client: Client, place: Place) -> Document | None:
    try:
        found: Unstructured = client.get(place.resource_type, place.key)
    except NotFound:
        return None
    return found.content
