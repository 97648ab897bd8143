"""Who we are to which registry: the `config.json` of Docker, which is also what a Secret for registries holds."""

import base64
import binascii
from collections.abc import Mapping
from pathlib import Path

import msgspec

from controllers.ociregistry.reference import DOCKER_HUB
from framework.errors import ConfigurationError

_DOCKER_HUB_KEYS = frozenset({"docker.io", "index.docker.io", "registry-1.docker.io"})


class Login(msgspec.Struct, frozen=True):
    username: str
    password: str

    def __repr__(self) -> str:
        return f"Login({self.username!r})"

    @property
    def basic(self) -> str:
        """The value of the header Authorization."""
        return "Basic " + base64.b64encode(f"{self.username}:{self.password}".encode()).decode()


class _Entry(msgspec.Struct, frozen=True):
    auth: str = ""
    username: str = ""
    password: str = ""


class _DockerConfig(msgspec.Struct, frozen=True):
    auths: dict[str, _Entry] = {}


class RegistryCredentials:
    """One login for each registry that has one."""

    def __init__(self, logins: Mapping[str, Login] | None = None) -> None:
        self._logins = dict(logins or {})

    @classmethod
    def parse(cls, text: bytes) -> "RegistryCredentials":
        """Raise ConfigurationError, whose text holds nothing of *text*."""
        try:
            entries = msgspec.json.decode(text, type=_DockerConfig).auths
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise ConfigurationError("the credentials of registries are not the config.json of Docker") from None
        logins: dict[str, Login] = {}
        for key, entry in entries.items():
            login = _login(key, entry)
            if login is not None:
                logins.setdefault(_registry_of(key), login)
        return cls(logins)

    @classmethod
    def load(cls, path: Path) -> "RegistryCredentials":
        try:
            return cls.parse(path.read_bytes())
        except OSError as error:
            raise ConfigurationError(f"-docker-config: {path}: {error.strerror}") from None

    def login_of(self, registry: str) -> Login | None:
        return self._logins.get(registry)


def _registry_of(key: str) -> str:
    """`https://index.docker.io/v1/`, `https://host:5000`, `host:5000/v2/` and `host:5000` are hosts all."""
    host = key.removeprefix("https://").removeprefix("http://").partition("/")[0]
    return DOCKER_HUB if host in _DOCKER_HUB_KEYS else host


def _login(key: str, entry: _Entry) -> Login | None:
    if not entry.auth:
        return Login(entry.username, entry.password) if entry.username else None
    try:
        username, colon, password = base64.b64decode(entry.auth, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        colon = ""
    if not colon:
        raise ConfigurationError(
            f"the credentials of registry {_registry_of(key)}: auth is not base64 of USER:PASSWORD"
        )
    return Login(username, password)
