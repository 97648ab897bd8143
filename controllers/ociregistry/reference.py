"""What an image is called: `[HOST[:PORT]/]PATH[:TAG][@DIGEST]`."""

import re

import msgspec

from controllers.ociregistry.errors import InvalidReference
from framework.http.address import is_loopback

DOCKER_HUB = "docker.io"
_DOCKER_HUB_ALIASES = frozenset({"docker.io", "index.docker.io", "registry-1.docker.io"})
_DOCKER_HUB_HOST = "registry-1.docker.io"
_DEFAULT_TAG = "latest"
_LONGEST_REPOSITORY = 255
_HOST = re.compile(
    r"(?:\[[0-9a-fA-F:]+\]|[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*)"
    r"(?::[0-9]{1,5})?"
)
_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_PATH = re.compile(rf"{_COMPONENT}(?:/{_COMPONENT})*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class Repository(msgspec.Struct, frozen=True):
    """Where images of one name are; *registry* as people write it, `docker.io` for Docker Hub."""

    registry: str
    path: str

    @property
    def host(self) -> str:
        """Whom to ask."""
        return _DOCKER_HUB_HOST if self.registry == DOCKER_HUB else self.registry

    @property
    def is_on_loopback(self) -> bool:
        return is_loopback(_without_port(self.registry))

    def __str__(self) -> str:
        return f"{self.registry}/{self.path}"


class ImageReference(msgspec.Struct, frozen=True):
    repository: Repository
    tag: str
    digest: str = ""

    @property
    def name(self) -> str:
        """What a registry finds the manifest by: the digest counts before the tag."""
        return self.digest or self.tag

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        return f"{self.repository}{tag}{'@' if self.digest else ''}{self.digest}"


def parse_reference(text: str, default_registry: str = DOCKER_HUB) -> ImageReference:
    """Raise InvalidReference. Without tag and digest it is the tag `latest`."""
    rest, at, digest = text.partition("@")
    if at and not _DIGEST.fullmatch(digest):
        raise InvalidReference(f"image {text!r}: {digest!r} is not a digest, sha256: and 64 hexadecimal digits")
    name, tag = _without_tag(rest)
    if tag is not None and not _TAG.fullmatch(tag):
        raise InvalidReference(f"image {text!r}: {tag!r} is not a tag")
    return ImageReference(parse_repository(name, default_registry), tag or ("" if digest else _DEFAULT_TAG), digest)


def parse_repository(text: str, default_registry: str = DOCKER_HUB) -> Repository:
    """Raise InvalidReference."""
    first, slash, rest = text.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        registry, path = first, rest
    else:
        registry, path = default_registry, text
    if not _HOST.fullmatch(registry):
        raise InvalidReference(f"image {text!r}: {registry!r} is not the host of a registry")
    if registry in _DOCKER_HUB_ALIASES:
        registry = DOCKER_HUB
        path = path if "/" in path else f"library/{path}"
    if len(path) > _LONGEST_REPOSITORY or not _PATH.fullmatch(path):
        raise InvalidReference(
            f"image {text!r}: {path!r} is not a repository: small letters and digits, with `.`, `_` or `-` between"
        )
    return Repository(registry, path)


def is_digest(text: str) -> bool:
    return _DIGEST.fullmatch(text) is not None


def _without_tag(text: str) -> tuple[str, str | None]:
    name, colon, tag = text.rpartition(":")
    # A colon before the last slash is that of a port.
    return (name, tag) if colon and "/" not in tag else (text, None)


def _without_port(registry: str) -> str:
    host, colon, port = registry.rpartition(":")
    return (host if colon and port.isdigit() else registry).strip("[]")
