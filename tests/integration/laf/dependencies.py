"""The kinds of others that Applications use where they are installed, and the parts of their controllers."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.integration.laf.server import Manifest, Server
from tests.integration.laf.world import World, eventually

_TEXT: Manifest = {"type": "string"}
_CAPACITY: Manifest = {
    "type": "object",
    "required": ["storage"],
    "properties": {"storage": {"x-kubernetes-int-or-string": True}},
}


def _text(shortest: int) -> Manifest:
    return {"type": "string", "minLength": shortest, "maxLength": 64}


# As laf has them, as far as the system that is tested here writes and reads them.
_SPECS: Mapping[str, Manifest] = {
    "Database": {
        "provider": {"type": "string", "enum": ["mongodb"]},
        "region": _TEXT,
        "username": _text(6),
        "password": _text(8),
        "capacity": _CAPACITY,
    },
    "User": {
        "provider": {"type": "string", "enum": ["minio"]},
        "region": _TEXT,
        "appid": _TEXT,
        "password": _text(8),
        "capacity": _CAPACITY,
    },
    "Gateway": {"appid": _TEXT},
}
_GROUPS = {"Database": "database.laf.dev", "User": "oss.laf.dev", "Gateway": "gateway.laf.dev"}


def definition(kind: str) -> Manifest:
    group, plural = _GROUPS[kind], f"{kind.lower()}s"
    spec = {"type": "object", "required": [*_SPECS[kind]], "properties": _SPECS[kind]}
    status = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
            "scope": "Namespaced",
            "versions": [version],
        },
    }


@contextmanager
def installed(hub: Server, *kinds: str) -> Iterator[None]:
    names = [hub.create(definition(kind))["metadata"]["name"] for kind in kinds]
    try:
        for name in names:
            eventually(lambda: _is_established(hub, name), f"{name} is served")  # noqa: B023 - called at once
        yield
    finally:
        for name in names:
            hub.delete("CustomResourceDefinition", name)
        for name in names:
            eventually(lambda: hub.find("CustomResourceDefinition", name) is None, f"{name} is gone")  # noqa: B023 - as above


def _is_established(hub: Server, name: str) -> bool:
    told = hub.get("CustomResourceDefinition", name)["status"]["conditions"] or []
    return any((each["type"], each["status"]) == ("Established", "True") for each in told)


def dependency(world: World, kind: str, application: str = "shop") -> Manifest:
    """As soon as it is there."""
    name = world.appid(application)
    eventually(lambda: world.hub.find(kind, name, world.tenant) is not None, f"{kind} {name} is there")
    return world.hub.get(kind, name, world.tenant)


def make_ready(world: World, kind: str, application: str = "shop", **status: str) -> None:
    """Play its controller."""
    name = dependency(world, kind, application)["metadata"]["name"]
    ready = {
        "type": "Ready",
        "status": "True",
        "reason": "Ready",
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    world.hub.tell(kind, name, world.tenant, conditions=[ready], **status)
