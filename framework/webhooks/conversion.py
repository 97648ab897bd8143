"""Conversion between the versions of a kind, in as few steps as there are functions for."""

from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import structlog

from apis.meta import GroupVersionKind, KubeObject, ResourceType, Unstructured
from framework.client import Codec
from framework.errors import ConfigurationError, WindlassError
from framework.webhooks.hooks import one_line
from framework.webhooks.metrics import WebhookMetrics
from framework.webhooks.wire import ConversionRequest, decode_conversion, encode_conversion

A = TypeVar("A", bound=KubeObject)
B = TypeVar("B", bound=KubeObject)
Document = dict[str, Any]
Step = Callable[[Document], Document]
PATH = "/convert"
# All that a conversion may change of the metadata; the API server takes the rest from the original.
_CHANGEABLE = ("labels", "annotations")

_log = structlog.get_logger("windlass.webhook")


class ConversionHook:
    """All conversions of a process; the server has one path for them."""

    path = PATH

    def __init__(self) -> None:
        self._steps: dict[GroupVersionKind, dict[GroupVersionKind, Step]] = {}
        self._resource_types: dict[tuple[str, str], ResourceType] = {}

    @property
    def resource_types(self) -> list[ResourceType]:
        """One version of each kind."""
        return list(self._resource_types.values())

    def add(self, source: Codec[A], target: Codec[B], function: Callable[[A], B]) -> None:
        one, other = source.resource_type.gvk, target.resource_type.gvk
        if (one.group, one.kind) != (other.group, other.kind) or one == other:
            raise ConfigurationError(f"{'/'.join(one)} and {'/'.join(other)} are not two versions of one kind")
        steps = self._steps.setdefault(one, {})
        if other in steps:
            raise ConfigurationError(f"there are two conversions of {one.kind} from {one.version} to {other.version}")
        steps[other] = lambda document: _converted(document, source, target, function)
        self._resource_types.setdefault((one.group, one.kind), source.resource_type)

    def answer(self, body: bytes, metrics: WebhookMetrics) -> bytes:
        request = decode_conversion(body)
        try:
            objects = [self.convert(msgspec.json.decode(raw), request.desired_api_version) for raw in request.objects]
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a converter is foreign code; its failure is answered
            return encode_conversion({"uid": request.uid, "result": _failure(request, error, metrics)})
        return encode_conversion({"uid": request.uid, "convertedObjects": objects, "result": {"status": "Success"}})

    def convert(self, document: Document, api_version: str) -> Document:
        """*document* in *api_version*."""
        source = GroupVersionKind.parse(document.get("apiVersion", ""), document.get("kind", ""))
        for step in self._way(source, GroupVersionKind.parse(api_version, source.kind)):
            document = step(document)
        return document

    def _way(self, source: GroupVersionKind, target: GroupVersionKind) -> list[Step]:
        """The shortest; among equals the one declared first."""
        ways: dict[GroupVersionKind, list[Step]] = {source: []}
        pending = deque([source])
        while pending:
            here = pending.popleft()
            if here == target:
                return ways[here]
            for there, step in self._steps.get(here, {}).items():
                if there not in ways:
                    ways[there] = [*ways[here], step]
                    pending.append(there)
        raise WindlassError(f"no way is known from {source.kind} of {source.api_version} to {target.api_version}")


def _converted(document: Document, source: Codec[A], target: Codec[B], function: Callable[[A], B]) -> Document:
    before = source.decode(msgspec.json.encode(document))
    after = function(before)
    result = target.manifest(after)
    if isinstance(after, Unstructured):
        # Its content may be the very dict that was handed in, with the version of the source.
        result["apiVersion"] = target.resource_type.gvk.api_version
    result["metadata"] = _metadata(document.get("metadata", {}), before, after)
    return result


def _metadata(original: Document, before: KubeObject, after: KubeObject) -> Document:
    """The original one: a Struct does not know all of it, and the server refuses other changes than these."""
    metadata = dict(original)
    for name in _CHANGEABLE:
        if isinstance(after, Unstructured) and "metadata" in after.content:
            value = after.content["metadata"].get(name) or {}
        else:
            value = getattr(after.metadata, name)
        if value != getattr(before.metadata, name):
            metadata[name] = value
    return metadata


def _failure(request: ConversionRequest, error: BaseException, metrics: WebhookMetrics) -> Document:
    if not isinstance(error, WindlassError | msgspec.DecodeError):
        metrics.conversion_panicked()
    _log.error("conversion_failed", version=request.desired_api_version, review=request.uid, exc_info=error)
    return {
        "status": "Failure",
        "message": f"the conversion to {request.desired_api_version} failed: {one_line(error)}",
    }
