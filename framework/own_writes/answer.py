"""What the answer to a write tells about the object that was written."""

import msgspec

from apis.meta import Key
from framework.client import Access


class Written(msgspec.Struct, frozen=True):
    """The object is this now."""

    key: Key
    uid: str
    version: int
    raw: bytes


class Touched(msgspec.Struct, frozen=True):
    """The object has this version now; what it looks like was not told (`scale`)."""

    key: Key
    uid: str
    version: int


class Gone(msgspec.Struct, frozen=True):
    """The object with this uid is no more; an empty one was not told."""

    key: Key
    uid: str


class Leaving(msgspec.Struct, frozen=True):
    """The object was deleted after *version*, and is gone or on its way."""

    key: Key
    uid: str
    version: int


Effect = Written | Touched | Gone | Leaving


class _Metadata(msgspec.Struct, rename="camel", gc=False):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    finalizers: list[str] | None = None

    @property
    def key(self) -> Key:
        return Key(self.namespace, self.name)

    @property
    def is_finished(self) -> bool:
        """Nothing keeps an object that is being deleted: the server has removed it with this very write.

        The answer to the patch that removes the last finalizer looks like this, and carries the version from before.
        """
        is_kept = self.finalizers or self.deletion_grace_period_seconds
        return self.deletion_timestamp is not None and not is_kept


class _Details(msgspec.Struct):
    uid: str = ""


class _Item(msgspec.Struct):
    metadata: _Metadata


class _Answer(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)
    details: _Details | None = None
    items: list[_Item] | None = None


_decode = msgspec.json.Decoder(_Answer).decode


def effects_of(access: Access, raw: bytes) -> list[Effect]:
    """What the write *access* did, by its answer *raw*; raises ValueError if that does not tell."""
    answer = _decode(raw)
    if access.verb == "deletecollection":
        return _collected(answer)
    if answer.kind == "Status" and access.verb == "delete":
        return [Gone(Key(access.namespace, access.name), answer.details.uid if answer.details else "")]
    metadata = answer.metadata
    if not metadata.name or not metadata.uid:
        raise ValueError(f"an answer of kind {answer.kind or 'unknown'} tells of no object")
    gvk = access.resource_type.gvk
    if (answer.api_version, answer.kind) != (gvk.api_version, gvk.kind):
        return [Touched(metadata.key, metadata.uid, int(metadata.resource_version))]
    # Some kinds answer a deletion with what they deleted, as it was.
    if metadata.is_finished or (access.verb == "delete" and metadata.deletion_timestamp is None):
        return [Gone(metadata.key, metadata.uid)]
    return [Written(metadata.key, metadata.uid, int(metadata.resource_version), raw)]


def _collected(answer: _Answer) -> list[Effect]:
    """The items are as they were before: whether a finalizer or a grace period keeps one is not certain."""
    if answer.items is None:
        raise ValueError("the deletion of a collection was not answered with its items")
    found = [item.metadata for item in answer.items]
    # What was being deleted already does not change by being deleted again.
    return [
        Leaving(each.key, each.uid, int(each.resource_version)) for each in found if each.deletion_timestamp is None
    ]
