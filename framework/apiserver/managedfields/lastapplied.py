"""The annotation in which `kubectl apply` keeps what it applied on the client's side."""

from typing import Any

import msgspec

from framework.apiserver.managedfields.applied import fields_of
from framework.apiserver.managedfields.comparison import compare
from framework.apiserver.managedfields.fieldset import FieldSet, difference
from framework.apiserver.managedfields.node import Node
from framework.apiserver.managedfields.validation import validate
from framework.apiserver.managedfields.values import BadValue
from framework.apiserver.objects import Object

ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
# The one manager for which the server looks at the annotation.
KUBECTL = "kubectl"
_LARGEST_ANNOTATIONS_BYTES = 256 * 1024


def fields_of_client_side_apply(schema: Node, live: Object, api_version: str) -> FieldSet:
    """What kubectl set by client-side apply and still has the same value: kubectl may take it without a conflict."""
    try:
        applied = msgspec.json.decode(_annotations(live).get(ANNOTATION) or "null")
        if not isinstance(applied, dict) or applied.get("apiVersion") != api_version:
            return {}
        validate(schema, live)
        validate(schema, applied)
        changes = compare(schema, applied, live)
        return difference(difference(fields_of(schema, applied), changes.set_fields), changes.removed)
    except (BadValue, msgspec.DecodeError):
        return {}


def follow_server_side_apply(obj: Object, patch: Object) -> None:
    """Let the annotation of *obj*, if it has one, say what kubectl applied on the server's side."""
    if not _annotations(obj).get(ANNOTATION):
        return
    annotations = {**_annotations(obj), ANNOTATION: _text(patch)}
    size = sum(len(name.encode()) + len(value.encode()) for name, value in annotations.items())
    if size > _LARGEST_ANNOTATIONS_BYTES:
        del annotations[ANNOTATION]
    obj["metadata"]["annotations"] = annotations


def _text(patch: Object) -> str:
    metadata: Any = patch.get("metadata")
    if isinstance(metadata, dict) and "annotations" in metadata:
        kept = {name: value for name, value in _annotations(patch).items() if name != ANNOTATION}
        patch = {**patch, "metadata": {**metadata, "annotations": kept}}
    text = msgspec.json.encode(patch, order="sorted").decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026") + "\n"


def _annotations(obj: Object) -> dict[str, str]:
    metadata = obj.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return annotations if isinstance(annotations, dict) else {}
