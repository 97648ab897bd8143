"""Objects that the roll-out writes: those with its label, by server-side apply."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from apis.meta import Key, ResourceType, Unstructured
from controllers.peerpods.names import FIELD_MANAGER, MANAGED_BY, MANAGED_BY_LABEL
from framework.apply import first_difference
from framework.client import Client
from framework.errors import NotFound

Document = dict[str, Any]


class NameTaken(Exception):
    """There is an object of that name that is not ours."""


class OwnObjects:
    def __init__(self, client: Client) -> None:
        self._client = client.acting_as(FIELD_MANAGER)

    def read(self, resource_type: ResourceType, key: Key) -> Document | None:
        """Raises NameTaken for one that is another's."""
        try:
            found: Unstructured = self._client.get(resource_type, key)
        except NotFound:
            return None
        if found.metadata.labels.get(MANAGED_BY_LABEL) != MANAGED_BY:
            raise NameTaken(
                f"{resource_type.gvk.kind} {key} exists without the label {MANAGED_BY_LABEL}={MANAGED_BY}; "
                "delete it, or give it the label"
            )
        return found.content

    def bring(self, resource_type: ResourceType, manifest: Document, live: Document | None) -> Document:
        """Make the object, of which *live* was read, what *manifest* says; no write if it is."""
        desired = _labelled(manifest)
        if live is None:
            # Not by force: what has appeared since we looked is not ours.
            return self._apply(resource_type, desired, force=False)
        if first_difference(desired, live, FIELD_MANAGER) is None:
            return live
        # Only that very object: one that took its place is not what was looked at.
        aimed = {**desired, "metadata": {**desired["metadata"], "uid": live["metadata"]["uid"]}}
        return self._apply(resource_type, aimed, force=True)

    def remove(self, resource_type: ResourceType, key: Key) -> None:
        """What is another's, or gone, stays so."""
        try:
            live = self.read(resource_type, key)
        except NameTaken:
            return
        if live is None or live["metadata"].get("deletionTimestamp"):
            return
        with suppress(NotFound):
            self._client.delete(resource_type, key, uid=live["metadata"]["uid"], propagation="Background")

    def _apply(self, resource_type: ResourceType, desired: Mapping[str, Any], *, force: bool) -> Document:
        applied: Unstructured = self._client.apply(resource_type, desired, force=force)
        return applied.content


def _labelled(manifest: Document) -> Document:
    metadata = manifest["metadata"]
    labels = {**metadata.get("labels", {}), MANAGED_BY_LABEL: MANAGED_BY}
    return {**manifest, "metadata": {**metadata, "labels": labels}}
