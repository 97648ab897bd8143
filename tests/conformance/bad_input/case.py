"""One bad request, and short ways to write it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from tests.conformance.api import JSON, MERGE
from tests.conformance.kinds import GROUP

YAML, PROTOBUF = "application/yaml", "application/vnd.kubernetes.protobuf"
# Where the objects are that requests are about: in every namespace of this name there is a config map and a widget.
NAMESPACE = "bad-input"
CONFIG_MAPS = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
CONFIG_MAP = f"{CONFIG_MAPS}/there"
WIDGETS = f"/apis/{GROUP}/v1/namespaces/{NAMESPACE}/widgets"
WIDGET = f"{WIDGETS}/there"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"


class Case(msgspec.Struct, frozen=True):
    method: str
    target: str
    body: Any = None
    content_type: str = JSON
    accept: str = JSON
    headers: Mapping[str, str] = {}
    # What the two servers say in words of their own, beyond code and reason.
    has_own_words: bool = False


def get(target: str, **more: Any) -> Case:
    return Case("GET", target, **more)


def post(target: str, body: Any, **more: Any) -> Case:
    return Case("POST", target, body, **more)


def put(target: str, body: Any, **more: Any) -> Case:
    return Case("PUT", target, body, **more)


def patch(target: str, body: Any, content_type: str = MERGE, **more: Any) -> Case:
    return Case("PATCH", target, body, content_type, **more)


def of_both(make: Any, name: str, **bodies: Any) -> dict[str, Case]:
    """The same for a built-in kind and for a custom resource."""
    return {
        f"{name} {which}: {label}": make(target, body)
        for label, body in bodies.items()
        for which, target in (("config map", CONFIG_MAPS), ("widget", WIDGETS))
    }
