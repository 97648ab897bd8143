"""An events.k8s.io/v1 Event that the API server accepts, whatever it is about."""

import re
from datetime import datetime
from typing import Any, Literal

import msgspec

from apis.meta import GroupVersionKind, KubeObject, ObjectMeta, Unstructured, micro_time, resource_type_of

EventType = Literal["Normal", "Warning"]

# Limits of the API server; it counts bytes.
LONGEST_NOTE = 1024
LONGEST_WORD = 128
LONGEST_CONTROLLER = 63
# Leaves room for what makes the name of an event unique.
_LONGEST_NAME = 200
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_.-]+")


class Said(msgspec.Struct, frozen=True):
    """Two events that agree in all of this are one."""

    uid: str
    type: str
    reason: str
    note: str


class Reporter(msgspec.Struct, frozen=True):
    """Who says it."""

    controller: str
    instance: str

    @classmethod
    def of(cls, controller: str, instance: str) -> "Reporter":
        name = shortened(_NOT_IN_A_NAME.sub("-", controller), LONGEST_CONTROLLER).strip("-_.")
        return cls(f"windlass/{name}", shortened(f"{controller}-{instance or 'windlass'}", LONGEST_WORD))


def shortened(text: str, longest: int) -> str:
    """*text* in at most *longest* bytes, none of its characters cut in two."""
    encoded = text.encode("utf-8", "replace")
    return encoded[:longest].decode("utf-8", "ignore")


def make_event(about: KubeObject, said: Said, action: str, *, by: Reporter, at: datetime, suffix: str) -> Unstructured:
    metadata = about.metadata
    name = f"{_name_for(metadata.name)}.{suffix}"
    # Events about cluster-scoped objects live in the namespace default, as the API server demands.
    namespace = metadata.namespace or "default"
    content = {
        "metadata": {"name": name, "namespace": namespace},
        "eventTime": micro_time(at),
        "reportingController": by.controller,
        "reportingInstance": by.instance,
        "action": shortened(action, LONGEST_WORD),
        "reason": shortened(said.reason, LONGEST_WORD),
        "note": shortened(said.note, LONGEST_NOTE),
        "type": said.type,
        "regarding": _reference_to(about),
    }
    return Unstructured(metadata=ObjectMeta(name=name, namespace=namespace), content=content)


def _reference_to(about: KubeObject) -> dict[str, Any]:
    gvk, metadata = _kind_of(about), about.metadata
    return {
        "apiVersion": gvk.api_version,
        "kind": gvk.kind,
        "namespace": metadata.namespace,
        "name": metadata.name,
        "uid": metadata.uid,
        "resourceVersion": metadata.resource_version,
    }


def _kind_of(about: KubeObject) -> GroupVersionKind:
    if isinstance(about, Unstructured):
        return GroupVersionKind.parse(about.content["apiVersion"], about.content["kind"])
    return resource_type_of(type(about)).gvk


def _name_for(name: str) -> str:
    """The name of the object, as far as an event may have it: roles may be called `system:node`, events may not."""
    short = name[:_LONGEST_NAME].rstrip("-.")
    return short if _SUBDOMAIN.fullmatch(short) else "event"
