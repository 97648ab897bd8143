"""Admission requests without an API server, for tests of validators and mutators."""

from typing import Any, TypeVar

import msgspec

from apis.meta import KubeObject, ResourceType
from framework.client import Codec, Codecs
from framework.webhooks import AdmissionRequest, User
from framework.webhooks.wire import WireKind, WireRequest

T = TypeVar("T", bound=KubeObject)


def admission_request(
    new: T | None = None,
    old: T | None = None,
    *,
    user: str = "somebody",
    groups: tuple[str, ...] = (),
    dry_run: bool = False,
    kind: ResourceType | None = None,
) -> AdmissionRequest[T]:
    """What a handler is asked when *old* becomes *new*; without one of them it is a creation or a deletion.

    An Unstructured needs its *kind*.
    """
    either = old if new is None else new
    if either is None:
        raise ValueError("give the new object, the old one, or both")
    codec: Codec[T] = Codecs().of(kind or type(either))
    gvk, key = codec.resource_type.gvk, either.metadata.key
    wire = WireRequest(
        uid="0",
        operation="CREATE" if old is None else "DELETE" if new is None else "UPDATE",
        kind=WireKind(group=gvk.group, version=gvk.version, kind=gvk.kind),
        name=key.name,
        namespace=key.namespace,
        user_info=User(username=user, groups=list(groups)),
        dry_run=dry_run,
        object=_raw(codec, new),
        old_object=_raw(codec, old),
    )
    return AdmissionRequest(wire, codec)


def _raw(codec: Codec[Any], obj: KubeObject | None) -> msgspec.Raw:
    return msgspec.Raw(b"null" if obj is None else codec.encode(obj))
