"""Kubeconfigs that come from objects: data alone, for whoever wrote the object is not whoever runs this process."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import msgspec

from framework.client import ClusterAddress
from framework.clusters.certificates import check_authority, check_pair
from framework.errors import ForbiddenKubeconfig, KubeconfigError

# Far above a real one, and below what takes a parser of YAML a second.
MOST_BYTES = 256 * 1024
_VISIBLE = re.compile(r"[\x21-\x7e]+")
_CLUSTER, _USER, _CONTEXT = "clusters[].cluster", "users[].user", "contexts[].context"
_FORBIDDEN_OF_CLUSTER = {
    "certificate-authority": "a file of this machine is not read; give certificate-authority-data",
    "proxy-url": "a proxy is not used",
}
_FORBIDDEN_OF_USER = {
    "exec": "no program is run",
    "auth-provider": "no program is run",
    "client-certificate": "a file of this machine is not read; give client-certificate-data",
    "client-key": "a file of this machine is not read; give client-key-data",
    "tokenFile": "a file of this machine is not read; give token",
}


class _Cluster(msgspec.Struct, frozen=True, rename="kebab"):
    server: str = ""
    certificate_authority_data: str = ""
    insecure_skip_tls_verify: bool = False
    tls_server_name: str = ""


class _User(msgspec.Struct, frozen=True, rename="kebab"):
    client_certificate_data: str = ""
    client_key_data: str = ""
    token: str = ""
    username: str = ""
    password: str = ""
    impersonated: str = msgspec.field(name="as", default="")
    as_uid: str = ""
    as_groups: list[str] = []
    as_user_extra: dict[str, list[str]] = {}


Part = TypeVar("Part", _Cluster, _User)


class InlineCredentials(msgspec.Struct, frozen=True):
    """An address and an Authorization header that never change; equal ones make no difference to a cluster."""

    where: ClusterAddress
    header: str | None = None

    def address(self) -> ClusterAddress:
        return self.where

    def authorization(self) -> str | None:
        return self.header

    def reload(self) -> None:
        """Nothing can have changed: whoever has another kubeconfig connects with that."""

    def __repr__(self) -> str:
        # The generated one would print the token and the key.
        return f"InlineCredentials({self.where.server!r})"


def credentials_from_kubeconfig(text: bytes | str, *, allow_insecure: bool = False) -> InlineCredentials:
    """The credentials of the current context, or of the only one.

    Raises ForbiddenKubeconfig if it refers to programs, files or proxies, to a
    server without TLS or, unless *allow_insecure*, to one that is not
    verified; and KubeconfigError if it is unusable. Nothing is run or read.
    """
    cluster, user = _current_context(_document(text))
    _refuse(cluster, _CLUSTER, _FORBIDDEN_OF_CLUSTER)
    _refuse(user, _USER, _FORBIDDEN_OF_USER)
    address = _address(_part(cluster, _Cluster, _CLUSTER), allow_insecure=allow_insecure)
    return _with_user(address, _part(user, _User, _USER))


def _document(text: bytes | str) -> Mapping[str, Any]:
    if len(text) > MOST_BYTES:
        raise KubeconfigError("the whole", f"longer than {MOST_BYTES} bytes")
    # Loaded by those who have remote clusters.
    import yaml

    try:
        # The loader that knows text, lists and maps only: a token of digits stays text, and nothing is constructed.
        document = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - makes even less than the safe one
    except (yaml.YAMLError, ValueError, RecursionError):
        raise KubeconfigError("the whole", "is not YAML") from None
    if not isinstance(document, dict):
        raise KubeconfigError("the whole", "is not a map with clusters, users and contexts")
    return document


def _current_context(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    contexts = _named(document, "contexts", "context")
    current = document.get("current-context") or (next(iter(contexts)) if len(contexts) == 1 else "")
    if not current:
        raise KubeconfigError("current-context", "is not set, and there is not exactly one context")
    if not isinstance(current, str) or current not in contexts:
        raise KubeconfigError("current-context", "names no context")
    context = contexts[current]
    cluster = _named(document, "clusters", "cluster").get(str(context.get("cluster")))
    if cluster is None:
        raise KubeconfigError(f"{_CONTEXT}.cluster", "names no cluster")
    if not context.get("user"):
        return cluster, {}
    user = _named(document, "users", "user").get(str(context["user"]))
    if user is None:
        raise KubeconfigError(f"{_CONTEXT}.user", "names no user")
    return cluster, user


def _named(document: Mapping[str, Any], section: str, part: str) -> dict[str, Mapping[str, Any]]:
    """The entries of *section* by their names; of two with the same name the first wins, as for kubectl."""
    entries = document.get(section) or []
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise KubeconfigError(section, "is not a list of maps")
    named: dict[str, Mapping[str, Any]] = {}
    for entry in entries:
        value = entry.get(part) or {}
        if not isinstance(value, dict) or not isinstance(entry.get("name"), str):
            raise KubeconfigError(f"{section}[]", f"has no name, or no {part} that is a map")
        # An empty text is what null becomes.
        named.setdefault(entry["name"], {key: inner for key, inner in value.items() if inner != ""})
    return named


def _refuse(part: Mapping[str, Any], where: str, forbidden: Mapping[str, str]) -> None:
    for field, reason in forbidden.items():
        if field in part:
            raise ForbiddenKubeconfig(f"{where}.{field}", reason)


def _part(value: Mapping[str, Any], cls: type[Part], where: str) -> Part:
    try:
        return msgspec.convert(value, cls, strict=False)
    except msgspec.ValidationError as error:
        raise KubeconfigError(where, _without_value(error)) from None


def _without_value(error: msgspec.ValidationError) -> str:
    """Only what msgspec says of types: `Expected … - at `$.path``; a key of a map may be anything."""
    kind, _, place = str(error).partition(" - at ")
    return f"{kind} at {place}" if re.fullmatch(r"`\$[\w.\[\]-]*`", place) else kind


def _address(cluster: _Cluster, *, allow_insecure: bool) -> ClusterAddress:
    server = _server(cluster.server)
    authority = _decoded(cluster.certificate_authority_data, f"{_CLUSTER}.certificate-authority-data")
    if cluster.insecure_skip_tls_verify and not allow_insecure:
        raise ForbiddenKubeconfig(
            f"{_CLUSTER}.insecure-skip-tls-verify", "a server that is not verified is not talked to"
        )
    if authority is not None:
        check_authority(authority, f"{_CLUSTER}.certificate-authority-data")
    return ClusterAddress(
        server,
        ca=authority,
        verify=not cluster.insecure_skip_tls_verify,
        tls_server_name=_printable(cluster.tls_server_name, f"{_CLUSTER}.tls-server-name") or None,
    )


def _server(url: str) -> str:
    where = f"{_CLUSTER}.server"
    if not url:
        raise KubeconfigError(where, "is not set")
    try:
        parts = urlsplit(url)
        is_usable = bool(parts.hostname) and parts.port != 0 and _VISIBLE.fullmatch(url) is not None
    except ValueError:
        is_usable = False
    if not is_usable:
        raise KubeconfigError(where, "is no URL of a server, such as https://host:6443")
    if parts.scheme != "https":
        raise ForbiddenKubeconfig(where, "only https is talked")
    if parts.username is not None or parts.query or parts.fragment:
        raise KubeconfigError(where, "has a user, a query or a fragment; give host, port and path only")
    return url.rstrip("/")


def _with_user(address: ClusterAddress, user: _User) -> InlineCredentials:
    certificate = _decoded(user.client_certificate_data, f"{_USER}.client-certificate-data")
    key = _decoded(user.client_key_data, f"{_USER}.client-key-data")
    if certificate is not None or key is not None:
        check_pair(certificate, key, _USER)
    impersonation = tuple(_printable(line, f"{_USER}.as") for line in _impersonation(user))
    whole = msgspec.structs.replace(address, certificate=certificate, key=key, impersonation=impersonation)
    return InlineCredentials(whole, _authorization(user))


def _authorization(user: _User) -> str | None:
    if token := user.token.strip():
        if not _VISIBLE.fullmatch(token):
            raise KubeconfigError(f"{_USER}.token", "has characters that no token has")
        return f"Bearer {token}"
    if user.username:
        login = base64.b64encode(f"{user.username}:{user.password}".encode()).decode()
        return f"Basic {login}"
    return None


def _impersonation(user: _User) -> Iterator[str]:
    if user.impersonated:
        yield f"Impersonate-User: {user.impersonated}"
    if user.as_uid:
        yield f"Impersonate-Uid: {user.as_uid}"
    for group in user.as_groups:
        yield f"Impersonate-Group: {group}"
    for name, values in user.as_user_extra.items():
        for value in values:
            yield f"Impersonate-Extra-{quote(name, safe='')}: {value}"


def _printable(text: str, where: str) -> str:
    # A line break would begin another header.
    if text and not text.isprintable():
        raise KubeconfigError(where, "has characters that cannot be printed")
    return text


def _decoded(text: str, where: str) -> bytes | None:
    if not text:
        return None
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise KubeconfigError(where, "is not base64") from None
