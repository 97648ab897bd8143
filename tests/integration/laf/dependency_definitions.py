"""Definitions of the kinds that others install, as strict as theirs are where it matters here."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from apis.meta import Key, ResourceType
from controllers.laf.optional_kinds import DATABASE, GATEWAY, OSS_USER
from framework.client import Client
from framework.errors import NotFound
from framework.informers import DEFINITIONS
from tests.integration.requeststate.processes import eventually

_TEXT = {"type": "string", "minLength": 1}
_PASSWORD = {"type": "string", "minLength": 8, "maxLength": 64, "pattern": "^[A-Za-z0-9]+$"}
_CAPACITY = {"type": "object", "properties": {"storage": {"x-kubernetes-int-or-string": True}}}
_SPECS: dict[ResourceType, dict[str, Any]] = {
    DATABASE: {
        "provider": {"enum": ["mongodb"], "type": "string"},
        "region": _TEXT,
        "username": {"type": "string", "minLength": 6, "maxLength": 32},
        "password": _PASSWORD,
        "capacity": _CAPACITY,
    },
    OSS_USER: {
        "provider": {"enum": ["minio"], "type": "string"},
        "region": _TEXT,
        "appid": _TEXT,
        "password": _PASSWORD,
        "capacity": _CAPACITY,
    },
    GATEWAY: {"appid": _TEXT},
}


def install(client: Client, kinds: Iterable[ResourceType] = _SPECS) -> None:
    """And wait until they are served."""
    for kind in kinds:
        client.apply(DEFINITIONS, definition(kind))
    for kind in kinds:
        eventually(lambda: is_served(client, kind), f"{kind.name} is served")  # noqa: B023 - called at once


def uninstall(client: Client, kinds: Iterable[ResourceType] = _SPECS) -> None:
    for kind in kinds:
        with suppress(NotFound):
            client.delete(DEFINITIONS, Key("", kind.name))
    for kind in kinds:
        eventually(lambda: not is_served(client, kind), f"{kind.name} is gone")  # noqa: B023 - called at once


def is_served(client: Client, kind: ResourceType) -> bool:
    try:
        client.list(kind)
    except NotFound:
        return False
    return True


def definition(kind: ResourceType, **changed: Any) -> dict[str, Any]:
    """Fields of the spec may be *changed*."""
    properties = {**_SPECS[kind], **changed}
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": properties, "required": sorted(properties)},
            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        },
    }
    version = {
        "name": kind.gvk.version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    name = kind.gvk.kind
    names = {"plural": kind.plural, "singular": name.lower(), "kind": name, "listKind": f"{name}List"}
    return {
        "metadata": {"name": kind.name},
        "spec": {"group": kind.gvk.group, "scope": "Namespaced", "names": names, "versions": [version]},
    }
