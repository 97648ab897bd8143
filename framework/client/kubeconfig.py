"""Finds the cluster: kubeconfig files, exec plugins and service accounts, by way of `kubernetes.config`."""

import logging
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from framework.client.credentials import ClusterAddress
from framework.clock import Clock
from framework.errors import ConfigurationError

# The package looks at a token's expiry or file each time it is asked; a few seconds late is early enough.
REFRESH_SECONDS = 10.0


class PackageCredentials:
    """Credentials that `kubernetes.config` loads and refreshes."""

    def __init__(self, load: Callable[[], "Loaded"], clock: Clock) -> None:
        self._load = load
        self._clock = clock
        self._loaded = load()
        self._fresh_until = clock.monotonic() + REFRESH_SECONDS
        self._authorization = self._loaded.authorization()

    def address(self) -> ClusterAddress:
        return self._loaded.address

    def authorization(self) -> str | None:
        if self._clock.monotonic() >= self._fresh_until:
            self._authorization = self._loaded.authorization()
            self._fresh_until = self._clock.monotonic() + REFRESH_SECONDS
        return self._authorization

    def reload(self) -> None:
        self._loaded = self._load()
        self._authorization = self._loaded.authorization()
        self._fresh_until = self._clock.monotonic() + REFRESH_SECONDS


class Loaded:
    """One loaded `Configuration` of the package, with its refresh hook."""

    def __init__(self, configuration: Any, address: ClusterAddress, token_file: Path | None = None) -> None:
        self._configuration = configuration
        self._token_file = token_file
        self.address = address

    def authorization(self) -> str | None:
        # The package reads tokenFile once; a rotated one would never be seen.
        if self._token_file is not None:
            return f"Bearer {self._token_file.read_text().strip()}"
        if self._configuration.refresh_api_key_hook is not None:
            self._configuration.refresh_api_key_hook(self._configuration)
        value = self._configuration.api_key.get("BearerToken") or self._configuration.api_key.get("authorization")
        return str(value).strip() if value else None


def find_credentials(
    *, kubeconfig: str | None, master: str | None, environment: Mapping[str, str], home: Path, clock: Clock
) -> PackageCredentials:
    """The first of: *kubeconfig*, $KUBECONFIG, the in-cluster service account, ~/.kube/config."""
    default = home / ".kube" / "config"
    if kubeconfig:
        return from_kubeconfig(kubeconfig, master=master, clock=clock)
    if environment.get("KUBECONFIG"):
        return from_kubeconfig(environment["KUBECONFIG"], master=master, clock=clock)
    if environment.get("KUBERNETES_SERVICE_HOST"):
        return from_service_account(master=master, clock=clock)
    if default.is_file():
        return from_kubeconfig(str(default), master=master, clock=clock)
    raise ConfigurationError(
        "no cluster: -kubeconfig is not given, $KUBECONFIG is not set, there is no in-cluster service account "
        f"and {default} does not exist; give one of them, or run -mode=standalone, which brings its own API server"
    )


def from_kubeconfig(path: str, *, master: str | None = None, clock: Clock) -> PackageCredentials:
    return PackageCredentials(lambda: _load_kubeconfig(path, master), clock)


def from_service_account(*, master: str | None = None, clock: Clock) -> PackageCredentials:
    return PackageCredentials(lambda: _load_service_account(master), clock)


def _load_service_account(master: str | None) -> Loaded:
    from kubernetes.client import Configuration
    from kubernetes.config import ConfigException, load_incluster_config

    configuration = Configuration()
    try:
        load_incluster_config(client_configuration=configuration)
    except (ConfigException, OSError) as error:
        raise ConfigurationError(f"in-cluster service account: {_one_line(error)}") from None
    return Loaded(configuration, _address(configuration, master, ()))


def _load_kubeconfig(path: str, master: str | None) -> Loaded:
    from kubernetes.client import Configuration
    from kubernetes.config import load_kube_config
    from kubernetes.config.kube_config import KubeConfigMerger

    _check_readable(path)
    configuration = Configuration()
    with _plain_errors(path), tempfile.TemporaryDirectory(prefix="windlass-") as folder, _captured_log() as said:
        # Certificates given inline go through files in this folder, which is gone once they are read.
        user = _user_of(KubeConfigMerger(path).config.value)
        load_kube_config(path, client_configuration=configuration, persist_config=False, temp_file_path=folder)
        address = _address(configuration, master, tuple(_impersonation(user)))
    if "exec" in user and not configuration.api_key and address.certificate is None:
        command = user["exec"].get("command", "?")
        reason = said[-1] if said else "it printed neither a token nor a certificate"
        raise ConfigurationError(f"kubeconfig {path}: exec plugin {command!r} failed: {_one_line(reason)}")
    return Loaded(configuration, address, _token_file(user, path))


def _check_readable(path: str) -> None:
    for part in filter(None, path.split(":")):
        try:
            Path(part).expanduser().open("rb").close()
        except OSError as error:
            raise ConfigurationError(f"kubeconfig {part} cannot be read: {error.strerror}") from None


@contextmanager
def _plain_errors(path: str) -> Iterator[None]:
    from kubernetes.config import ConfigException
    from yaml import YAMLError

    try:
        yield
    except ConfigurationError:
        raise
    except (ConfigException, YAMLError, OSError, ValueError, AttributeError, TypeError, KeyError) as error:
        # The package answers a malformed file with whatever its dict accesses raise.
        raise ConfigurationError(f"kubeconfig {path} is not usable: {_one_line(error)}") from None


@contextmanager
def _captured_log() -> Iterator[list[str]]:
    """The package logs what an exec plugin did wrong instead of raising it."""
    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield said
    finally:
        root.removeHandler(handler)


def _user_of(config: Mapping[str, Any]) -> Mapping[str, Any]:
    context = _named(config, "contexts", config.get("current-context", "")).get("context", {})
    user: Mapping[str, Any] = _named(config, "users", context.get("user", "")).get("user") or {}
    return user


def _named(config: Mapping[str, Any], section: str, name: str) -> Mapping[str, Any]:
    for entry in config.get(section) or []:
        value: Mapping[str, Any] = getattr(entry, "value", entry)
        if value.get("name") == name:
            return value
    return {}


def _impersonation(user: Mapping[str, Any]) -> Iterator[str]:
    if user.get("as"):
        yield f"Impersonate-User: {user['as']}"
    if user.get("as-uid"):
        yield f"Impersonate-Uid: {user['as-uid']}"
    for group in user.get("as-groups") or []:
        yield f"Impersonate-Group: {group}"
    for name, values in (user.get("as-user-extra") or {}).items():
        for value in values:
            yield f"Impersonate-Extra-{name}: {value}"


def _token_file(user: Mapping[str, Any], path: str) -> Path | None:
    if not user.get("tokenFile") or user.get("token"):
        return None
    return Path(path.split(":", maxsplit=1)[0]).expanduser().parent / str(user["tokenFile"])


def _address(configuration: Any, master: str | None, impersonation: tuple[str, ...]) -> ClusterAddress:
    return ClusterAddress(
        server=(master or configuration.host).rstrip("/"),
        ca=_read(configuration.ssl_ca_cert),
        certificate=_read(configuration.cert_file),
        key=_read(configuration.key_file),
        verify=configuration.verify_ssl is not False,
        tls_server_name=getattr(configuration, "tls_server_name", None),
        proxy=configuration.proxy,
        impersonation=impersonation,
    )


def _read(path: str | None) -> bytes | None:
    return Path(path).read_bytes() if path else None


def _one_line(error: object) -> str:
    return " ".join(str(error).split())
