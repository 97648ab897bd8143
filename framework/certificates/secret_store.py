"""Certificates in a Secret, written only on top of what was read."""

import msgspec

from apis.meta import GroupVersionKind, Key, ResourceType, Unstructured
from framework.certificates.material import Material, material_in, secret_data
from framework.client import Client
from framework.errors import NotFound, WindlassError

SECRET = ResourceType(GroupVersionKind("", "v1", "Secret"), "secrets")
# A Secret with something in it that does not say this belongs to somebody else, and stays as it is.
_LABEL, _MANAGER = "app.kubernetes.io/managed-by", "windlass"
_LABELS = {_LABEL: _MANAGER}


class Stored(msgspec.Struct, frozen=True):
    """What the Secret held; an empty version: there is none."""

    material: Material | None
    version: str


class SecretStore:
    def __init__(self, client: Client, key: Key) -> None:
        self._client = client
        self.key = key

    def read(self) -> Stored:
        try:
            secret: Unstructured = self._client.get(SECRET, self.key)
        except NotFound:
            return Stored(None, "")
        data = secret.content.get("data") or {}
        if data and secret.metadata.labels.get(_LABEL) != _MANAGER:
            raise WindlassError(
                f"Secret {self.key} exists and was not made by us (it has no label {_LABEL}={_MANAGER}); "
                "choose another name, or delete it"
            )
        return Stored(material_in(data), secret.metadata.resource_version)

    def write(self, material: Material, version: str) -> None:
        """Raises Conflict or AlreadyExists if the Secret is not what was read in *version* any more."""
        data = secret_data(material)
        if version:
            patch = {"metadata": {"labels": _LABELS}, "data": data}
            self._client.merge_patch(SECRET, self.key, patch, resource_version=version)
            return
        content = {
            "metadata": {"namespace": self.key.namespace, "name": self.key.name, "labels": _LABELS},
            # Whoever mounts it finds tls.crt and tls.key where they are in every Secret of this type.
            "type": "kubernetes.io/tls",
            "data": {name: value for name, value in data.items() if value is not None},
        }
        self._client.create(Unstructured(content=content), kind=SECRET)
