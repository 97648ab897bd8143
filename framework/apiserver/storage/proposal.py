"""A write on its way to being committed."""

import msgspec

from apis.meta import Key
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.storage.record import Change, EventType, Record

_encode = msgspec.json.Encoder().encode


class Proposal:
    """*obj* in place of *expected*, or with *is_deletion* nothing; the outcome comes from whoever commits it."""

    __slots__ = ("_is_complete", "_obj", "expected", "is_deletion", "key", "outcome", "resource")

    def __init__(
        self,
        resource: GroupResource,
        key: Key,
        expected: Record | None,
        obj: Object,
        *,
        is_deletion: bool = False,
        is_complete: bool = True,
    ) -> None:
        self.resource = resource
        self.key = key
        self.expected = expected
        self.is_deletion = is_deletion
        self._obj = obj
        self._is_complete = is_complete
        self.outcome: Record | BaseException | None = None

    def result(self) -> Record:
        """What was stored, once somebody has committed it."""
        if isinstance(self.outcome, Record):
            return self.outcome
        raise self.outcome or AssertionError("nobody has committed this")

    def change_at(self, revision: int) -> Change:
        self._obj["metadata"]["resourceVersion"] = str(revision)
        record = Record(self.key, revision, _encode(self._obj), self._is_complete)
        return Change(self._type(), record, self.expected)

    def _type(self) -> EventType:
        if self.is_deletion:
            return "DELETED"
        return "ADDED" if self.expected is None else "MODIFIED"
