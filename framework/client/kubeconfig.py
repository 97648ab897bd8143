"""Kubeconfig files: what kubectl makes of them, with the exec plugins and token refresh of `kubernetes.config`."""

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from framework.client.package_config import kube_config
from framework.client.package_credentials import (
    Loaded,
    PackageCredentials,
    address_of,
    bypassed_hosts,
    captured_log,
    one_line,
)
from framework.clock import Clock
from framework.errors import ConfigurationError

# What the package puts into its messages: whole entries of the file, tokens included.
_ENTRY = re.compile(r"\{.*\}", re.DOTALL)


class _Context(msgspec.Struct, frozen=True):
    """The current context with what it refers to; relative paths of the user start at *folder*."""

    name: str
    cluster: Mapping[str, Any]
    user: Mapping[str, Any]
    folder: Path


def from_kubeconfig(path: str, *, master: str | None = None, clock: Clock) -> PackageCredentials:
    """Credentials from one file, or from several, separated as in $KUBECONFIG."""
    return PackageCredentials(lambda: _load(path, master), clock)


def _load(path: str, master: str | None) -> Loaded:
    package = kube_config()
    _check_readable(path)
    configuration: Any = package.Configuration()
    with _plain_errors(path), tempfile.TemporaryDirectory(prefix="windlass-") as folder, captured_log() as said:
        merged = package.KubeConfigMerger(path)
        context = _current_context(path, merged.config_files, master)
        # Certificates given inline go through files in this folder, which is gone once they are read.
        package.KubeConfigLoader(
            merged.config, active_context=context.name, config_base_path=None, temp_file_path=folder
        ).load_and_set(configuration)
        own_proxy = context.cluster.get("proxy-url")
        # Before its version 37 the package does not look at it.
        configuration.proxy = own_proxy or configuration.proxy
        address = address_of(
            configuration,
            master,
            # A proxy that the file names is meant for this cluster, wherever that is.
            no_proxy="" if own_proxy else bypassed_hosts(configuration),
            impersonation=tuple(_impersonation(context.user)),
        )
    if "exec" in context.user and not configuration.api_key and address.certificate is None:
        command = context.user["exec"].get("command", "?")
        reason = said[-1] if said else "it printed neither a token nor a certificate"
        raise ConfigurationError(f"kubeconfig {path}: exec plugin {command!r} failed: {one_line(reason)}")
    return Loaded(configuration, address, _token_file(context))


def _check_readable(path: str) -> None:
    files = [Path(part).expanduser() for part in path.split(os.pathsep) if part]
    # As kubectl: of several files some may be missing.
    present = [file for file in files if len(files) == 1 or file.exists()]
    if not present:
        raise ConfigurationError(f"kubeconfig {path} cannot be read: none of these files exists")
    for file in present:
        try:
            file.open("rb").close()
        except OSError as error:
            raise ConfigurationError(f"kubeconfig {file} cannot be read: {error.strerror}") from None


@contextmanager
def _plain_errors(path: str) -> Iterator[None]:
    from yaml import YAMLError

    try:
        yield
    except (kube_config().ConfigException, YAMLError, OSError) as error:
        raise ConfigurationError(f"kubeconfig {path} is not usable: {_without_entries(error)}") from None
    except (ValueError, AttributeError, TypeError, KeyError) as error:
        # The package answers a malformed file with whatever its dict accesses raise.
        problem = f"{type(error).__name__}: {_without_entries(error)}"
        raise ConfigurationError(f"kubeconfig {path} is not a kubeconfig file ({problem})") from None


def _without_entries(error: object) -> str:
    return one_line(_ENTRY.sub("{…}", str(error)))


def _current_context(path: str, files: Mapping[str, Mapping[str, Any]], master: str | None) -> _Context:
    """As kubectl: of several files the first wins; and nothing is missing, which the package lets pass in part."""
    name = next((config["current-context"] for config in files.values() if config.get("current-context")), "")
    if not name:
        raise ConfigurationError(f"kubeconfig {path}: current-context is not set")
    _, context = _entry(path, files, "context", name)
    folder, user = _entry(path, files, "user", context["user"]) if context.get("user") else (Path(), {})
    _, cluster = _entry(path, files, "cluster", context.get("cluster", ""))
    if not cluster.get("server") and not master:
        raise ConfigurationError(f"kubeconfig {path}: cluster {context['cluster']!r} has no server")
    return _Context(name, cluster, user, folder)


def _entry(
    path: str, files: Mapping[str, Mapping[str, Any]], section: str, name: str
) -> tuple[Path, Mapping[str, Any]]:
    for file, config in files.items():
        for entry in config.get(f"{section}s") or ():
            if entry.get("name") == name:
                return Path(file).parent, _mapping(path, section, name, entry)
    raise ConfigurationError(f"kubeconfig {path}: {section} {name!r} is referred to, but not defined")


def _mapping(path: str, section: str, name: str, entry: Mapping[str, Any]) -> Mapping[str, Any]:
    value = entry.get(section)
    if not isinstance(value, Mapping):
        raise ConfigurationError(f"kubeconfig {path}: {section} {name!r} has no key {section!r} with its settings")
    return value


def _impersonation(user: Mapping[str, Any]) -> Iterator[str]:
    if user.get("as"):
        yield f"Impersonate-User: {user['as']}"
    if user.get("as-uid"):
        yield f"Impersonate-Uid: {user['as-uid']}"
    for group in user.get("as-groups") or []:
        yield f"Impersonate-Group: {group}"
    for name, values in (user.get("as-user-extra") or {}).items():
        for value in values:
            yield f"Impersonate-Extra-{quote(name, safe='')}: {value}"


def _token_file(context: _Context) -> Path | None:
    # As kubectl: a file wins over a token beside it, because it is the one that can be rotated.
    token_file = context.user.get("tokenFile")
    return context.folder / str(token_file) if token_file else None
