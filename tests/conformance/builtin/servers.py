"""The same create on both sides: the real server in a dry run, and our strategies in the order in which it works."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from framework.apiserver.builtin import BuiltinResource, builtin_resources
from framework.apiserver.builtin.admission import admit
from framework.apiserver.builtin.kinds.strategies import builtin_strategy
from framework.apiserver.objectmeta import validate_new, validate_update
from framework.apiserver.status import invalid, status_document
from framework.client import Client
from framework.client.call import Call
from framework.errors import ApiError

NAMESPACE = "default"
DRY_RUN = {"dryRun": "All", "fieldValidation": "Ignore"}
NOW = "2024-01-02T03:04:05Z"
UID = "00000000-0000-0000-0000-000000000000"
_RESOURCES = {(one.api_version, one.kind): one for one in builtin_resources()}
_ADDRESS = re.compile(r"10\.96\.\d+\.\d+")


def create_on_real(client: Client, manifest: dict[str, Any]) -> dict[str, Any]:
    """The created object, or the Status that says why not."""
    try:
        return _send(client, "POST", _path_of(_resource_of(manifest)), manifest, DRY_RUN)
    except ApiError as error:
        return status_document(error)


def _path_of(resource: BuiltinResource) -> str:
    prefix = f"/apis/{resource.group}/{resource.version}" if resource.group else f"/api/{resource.version}"
    scope = f"/namespaces/{NAMESPACE}" if resource.is_namespaced else ""
    return f"{prefix}{scope}/{resource.plural}"


def _send(
    client: Client, method: str, path: str, body: dict[str, Any], query: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    call = Call(method.lower(), method, path, query=query, body=msgspec.json.encode(body))
    return msgspec.json.decode(client.connection.send(call).body, type=dict[str, Any])


def create_embedded(manifest: dict[str, Any]) -> dict[str, Any]:
    resource = _resource_of(manifest)
    strategy = builtin_strategy(resource, services=list)
    obj = msgspec.json.decode(msgspec.json.encode(manifest), type=dict[str, Any])
    try:
        strategy.prune(obj)
        strategy.default(obj)
        metadata = obj["metadata"]
        metadata["uid"] = UID
        if resource.is_namespaced:
            metadata["namespace"] = NAMESPACE
        metadata["creationTimestamp"] = NOW
        admit(resource.kind_in_errors, obj, None)
        strategy.prepare_for_create(obj)
        # What is common to all kinds is checked where the kind itself found nothing.
        if problems := strategy.validate(obj) or validate_new(obj, is_namespaced=resource.is_namespaced):
            raise invalid(resource.kind_in_errors, metadata["name"], problems)
    except ApiError as error:
        return status_document(error)
    return obj


def update_on_real(client: Client, before: dict[str, Any], change: dict[str, Any], subresource: str) -> dict[str, Any]:
    """The answer to a PUT of *before*, which is created first, with *change*."""
    resource = _resource_of(before)
    created = _send(client, "POST", _path_of(resource), before)
    path = f"{_path_of(resource)}/{created['metadata']['name']}"
    try:
        target = f"{path}/{subresource}" if subresource else path
        return _send(client, "PUT", target, merged(created, change), DRY_RUN)
    except ApiError as error:
        return status_document(error)
    finally:
        _send(client, "DELETE", path, {"gracePeriodSeconds": 0})


def update_embedded(before: dict[str, Any], change: dict[str, Any], subresource: str) -> dict[str, Any]:
    resource = _resource_of(before)
    strategy = builtin_strategy(resource, services=list)
    old = create_embedded(before)
    old["metadata"]["resourceVersion"] = "1"
    new: dict[str, Any] = merged(old, change)
    try:
        strategy.prune(new)
        strategy.default(new)
        if not subresource:
            admit(resource.kind_in_errors, new, old)
        strategy.prepare_for_update(new, old, subresource)
        # What is common to all kinds comes first, and is repeated by some.
        common = validate_update(new, old, is_namespaced=resource.is_namespaced)
        if problems := [*common, *strategy.validate_update(new, old, subresource)]:
            raise invalid(resource.kind_in_errors, new["metadata"]["name"], problems)
    except ApiError as error:
        return status_document(error)
    return new


def merged(target: Any, change: Any) -> Any:
    """RFC 7386."""
    if not isinstance(change, dict):
        return change
    outcome = dict(target) if isinstance(target, dict) else {}
    for name, value in change.items():
        if value is None:
            outcome.pop(name, None)
        else:
            outcome[name] = merged(outcome.get(name), value)
    return outcome


def masked(answer: dict[str, Any]) -> dict[str, Any]:
    """*answer* without what no two servers agree on."""
    uid = answer["metadata"].get("uid")
    text = msgspec.json.encode(answer).decode()
    if uid:
        text = text.replace(uid, "(uid)")
    masked: dict[str, Any] = msgspec.json.decode(_ADDRESS.sub("(address)", text))
    for field in ("uid", "creationTimestamp", "managedFields", "resourceVersion"):
        masked["metadata"].pop(field, None)
    _mask_allocated(masked)
    _mask_transition(masked)
    return masked


def _mask_allocated(obj: dict[str, Any]) -> None:
    if obj["kind"] == "Service":
        for port in obj["spec"].get("ports", ()):
            if "nodePort" in port:
                port["nodePort"] = "(port)"
        if "healthCheckNodePort" in obj["spec"]:
            obj["spec"]["healthCheckNodePort"] = "(port)"


def _mask_transition(obj: dict[str, Any]) -> None:
    if obj["kind"] == "Pod":
        for condition in obj["status"].get("conditions", ()):
            condition["lastTransitionTime"] = "(now)"


def _resource_of(manifest: dict[str, Any]) -> BuiltinResource:
    return _RESOURCES[manifest["apiVersion"], manifest["kind"]]
