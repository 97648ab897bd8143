"""What a request is about, read from its method and path."""

import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import parse_qsl, unquote

import msgspec

from framework.apiserver.rest.go_numbers import query_int64
from framework.apiserver.selectors import parse_field_selector
from framework.errors import BadRequest

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete", "GET": "get", "HEAD": "get"}
_SELECTING_VERBS = frozenset({"list", "watch"})
_OF_NAMESPACES = frozenset({"status", "finalize"})
# A client asks with the same few paths and queries again and again.
_KEPT = 1024
_BROKEN_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")


class MalformedPath(Exception):
    """An escape in the path is none."""


class RequestInfo(msgspec.Struct, frozen=True):
    """*resource* is empty for paths that are not about objects: discovery, health, version."""

    verb: str
    path: str
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    # The one name that a list or watch selects. It counts when rights are looked at, and only then.
    selected_name: str = ""
    # Segments beyond a subresource, e.g. of a proxy.
    rest: tuple[str, ...] = ()
    # The path has a place for a namespace, and nothing there.
    lacks_namespace: bool = False

    @property
    def is_resource(self) -> bool:
        return bool(self.resource)


class Query:
    """The query of a request; of a repeated name the first value counts."""

    def __init__(self, text: str) -> None:
        self._values = _values(text)

    def get(self, name: str) -> str:
        values = self._values.get(name)
        return values[0] if values else ""

    def all(self, name: str) -> list[str]:
        return self._values.get(name, [])

    def int64(self, name: str) -> int | None:
        """None if it is not there; BadRequest if it is no number, as nothing is none."""
        values = self._values.get(name)
        return None if values is None else query_int64(values[0])

    def flag(self, name: str) -> bool:
        """As Go reads it: there and not false."""
        values = self._values.get(name)
        return values is not None and values[0].lower() not in {"false", "0"}


@lru_cache(_KEPT)
def _values(query: str) -> Mapping[str, list[str]]:
    values: dict[str, list[str]] = {}
    for name, value in parse_qsl(_readable(query), keep_blank_values=True):
        values.setdefault(name, []).append(value)
    return values


def _readable(query: str) -> str:
    """*query* without the parts that Go does not read."""
    if ";" not in query and not _BROKEN_ESCAPE.search(query):
        return query
    return "&".join(part for part in query.split("&") if ";" not in part and not _BROKEN_ESCAPE.search(part))


def split_target(target: str) -> tuple[str, Query]:
    path, _, query = target.partition("?")
    return path, Query(query)


@lru_cache(_KEPT)
def request_info(method: str, path: str, *, is_watch: bool, field_selector: str = "") -> RequestInfo:
    """Raises MalformedPath."""
    verb = _VERBS.get(method, method.lower())
    if "%" in path:
        if _BROKEN_ESCAPE.search(path):
            raise MalformedPath(path)
        path = unquote(path)
    parts = path.strip("/").split("/")
    head = None if path.startswith("//") else _group_version(parts)
    if head is None:
        return RequestInfo(verb, path)
    group, version, rest = head
    namespace, rest = _namespace(rest)
    if not all(rest) or not version:
        return RequestInfo(verb, path)
    resource, name, subresource = ([*rest[:3], "", "", ""])[:3]
    if not name:
        verb = _collection_verb(verb, is_watch=is_watch)
    if resource == "namespaces" and not group:
        namespace = name
    lacks = namespace == ""
    return RequestInfo(
        verb,
        path,
        group,
        version,
        resource,
        subresource,
        namespace or "",
        name,
        _selected_name(field_selector) if field_selector and verb in _SELECTING_VERBS else "",
        tuple(rest[3:]),
        lacks_namespace=lacks,
    )


def _selected_name(field_selector: str) -> str:
    try:
        name = parse_field_selector(field_selector).requires("metadata.name") or ""
    except BadRequest:
        # Told later, to those who may ask at all.
        return ""
    return "" if name in {".", ".."} or "/" in name or "%" in name else name


def _group_version(parts: list[str]) -> tuple[str, str, list[str]] | None:
    if len(parts) > 2 and parts[0] == "api":  # noqa: PLR2004 - api/VERSION/RESOURCE
        return "", parts[1], parts[2:]
    if len(parts) > 3 and parts[0] == "apis":  # noqa: PLR2004 - apis/GROUP/VERSION/RESOURCE
        return parts[1], parts[2], parts[3:]
    return None


def _namespace(rest: list[str]) -> tuple[str | None, list[str]]:
    """Take `namespaces/NAME` off the front, unless it is the namespace itself that is meant; None if there is none."""
    if rest[0] != "namespaces" or len(rest) < 3 or rest[2] in _OF_NAMESPACES:  # noqa: PLR2004 - namespaces/NAME/…
        return None, rest
    return rest[1], rest[2:]


def _collection_verb(verb: str, *, is_watch: bool) -> str:
    if verb == "get":
        return "watch" if is_watch else "list"
    return "deletecollection" if verb == "delete" else verb
