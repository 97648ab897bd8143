"""How registries are asked."""

import msgspec

from controllers.ociregistry.reference import DOCKER_HUB, Repository

_CONNECT_SECONDS, _READ_SECONDS = 5.0, 60.0


class RegistryOptions(msgspec.Struct, frozen=True, kw_only=True):
    # Of images whose name begins with no host.
    default_registry: str = DOCKER_HUB
    # Hosts, with their ports, that are asked by plain HTTP. Loopback always is.
    insecure_registries: tuple[str, ...] = ()
    connect_seconds: float = _CONNECT_SECONDS
    # Between two pieces of an answer.
    read_seconds: float = _READ_SECONDS

    def is_plain(self, repository: Repository) -> bool:
        return repository.is_on_loopback or repository.registry in self.insecure_registries

    def base_url(self, repository: Repository) -> str:
        scheme = "http" if self.is_plain(repository) else "https"
        return f"{scheme}://{repository.host}/v2/{repository.path}/"
