"""How controllers ask registries: live, with credentials that are read when they are needed."""

from typing import Protocol

from apis.core.v1 import Secret
from apis.meta import Key
from controllers.ociregistry.credentials import RegistryCredentials
from controllers.ociregistry.options import RegistryOptions
from framework.client import Client
from framework.errors import NotFound
from framework.loading import LOADING

_DOCKER_CONFIG = ".dockerconfigjson"


class ImageRegistry(Protocol):
    """Raises RegistryError."""

    def digest_of(self, image: str) -> str | None:
        """Of what *image* leads to now; None if there is no such image."""

    def delete(self, repository: str, digest: str) -> bool:
        """Delete the manifest, and with it every tag on it; whether it was there. DeleteDisabled if that cannot be."""


class Registries(Protocol):
    def of(self, credentials: Key) -> ImageRegistry:
        """Registries as whoever has the Secret *credentials* sees them."""


class LiveRegistries:
    def __init__(self, client: Client, options: RegistryOptions) -> None:
        self._client = client
        self._options = options

    def of(self, credentials: Key) -> ImageRegistry:
        # Its HTTP library takes a while to load, and many processes never ask a registry.
        with LOADING:
            from controllers.ociregistry.registry import ImageRegistry as OciRegistry

        return OciRegistry(self._credentials(credentials), self._options)

    def _credentials(self, key: Key) -> RegistryCredentials:
        try:
            secret = self._client.get(Secret, key)
        except NotFound:
            # A registry that wants to know nobody may still answer.
            return RegistryCredentials()
        text = secret.data.get(_DOCKER_CONFIG)
        return RegistryCredentials.parse(text) if text else RegistryCredentials()
