"""Images by their names, for who wants to know or delete one."""

from collections.abc import Iterator
from contextlib import contextmanager

from controllers.ociregistry.credentials import RegistryCredentials
from controllers.ociregistry.exchange import RegistryExchange
from controllers.ociregistry.options import RegistryOptions
from controllers.ociregistry.reference import Repository, parse_reference, parse_repository
from controllers.ociregistry.repository import RemoteRepository


class ImageRegistry:
    """Opens connections for each call, and closes them: safe for any number of tasks. Raises RegistryError."""

    def __init__(self, credentials: RegistryCredentials, options: RegistryOptions | None = None) -> None:
        self._credentials = credentials
        self._options = options or RegistryOptions()

    def digest_of(self, image: str) -> str | None:
        """Of what *image* leads to now; None if there is no such image."""
        reference = parse_reference(image, self._options.default_registry)
        with self.repository(reference.repository) as repository:
            return repository.digest_of(reference.name)

    def delete(self, repository: str, digest: str) -> bool:
        """Delete the manifest, and with it every tag on it; whether it was there. DeleteDisabled if that cannot be."""
        with self.repository(parse_repository(repository, self._options.default_registry)) as remote:
            return remote.delete_manifest(digest)

    @contextmanager
    def repository(self, name: Repository) -> Iterator[RemoteRepository]:
        remote = RemoteRepository(RegistryExchange(name, self._credentials.login_of(name.registry), self._options))
        try:
            yield remote
        finally:
            remote.close()
