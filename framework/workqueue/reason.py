"""Why an item was added."""

from collections.abc import Hashable
from typing import Literal

import msgspec

What = Literal[
    "created", "changed", "deleted", "listed", "resync", "retry", "backoff", "later", "called", "others"
]  # fmt: skip
# So many objects are named; that there were more is counted.
MAX_REASONS = 8


# Holds no container that could hold it, so the collector need not look at it.
class Reason(msgspec.Struct, gc=False):
    """Something that happened to an object, or a time that has come. Belongs to one add, and changes after it.

    `created`, `changed`, `deleted`, `listed` (it was there when we first
    looked) and `resync` are about *subject*, an object of *source*; `retry`
    follows an error, named by *source*; `backoff` and `later` were asked for
    by the last result; `called` is code outside of any source; `others` counts
    those for which there was no room.
    """

    what: What
    source: str = ""
    subject: Hashable = None
    # Versions of the object; 0 where there is none.
    old_version: int = 0
    new_version: int = 0
    count: int = 1
    # On the monotonic clock; before that time it is no reason yet.
    due_at: float = 0.0

    def absorb(self, later: "Reason") -> bool:
        """Count *later* in, if it is about the same."""
        if self.source != later.source or self.subject != later.subject:
            return False
        if self.subject is None and self.what != later.what:
            return False
        if "deleted" in (self.what, later.what):
            self.what = later.what
        self.new_version = later.new_version
        self.due_at = later.due_at
        self.count += 1
        return True


def with_reason(reasons: tuple[Reason, ...], later: Reason) -> tuple[Reason, ...]:
    """*reasons* with *later* among them, or counted in one of them."""
    if not reasons:
        return (later,)
    for reason in reasons:
        if reason.absorb(later):
            return reasons
    if len(reasons) < MAX_REASONS:
        return (*reasons, later)
    if reasons[-1].what != "others":
        return (*reasons, Reason("others"))
    reasons[-1].count += 1
    return reasons
