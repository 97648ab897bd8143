"""What the queue knows about one item."""

from collections.abc import Hashable
from typing import Generic, TypeVar

import msgspec

from framework.workqueue.reason import Reason

Item = TypeVar("Item", bound=Hashable)


class Entry(msgspec.Struct, Generic[Item], eq=False):
    """One item that waits, is being processed, or both. Mutable, and guarded by the lock of its queue.

    It is known to a heap by a ticket: a tuple that ends in (sequence, entry).
    A ticket is valid only while it carries the entry's current `sequence`, so
    an entry moves by taking a new number, and no heap is ever searched.
    """

    item: Item
    priority: int = 0
    sequence: int = 0
    is_ready: bool = False
    is_delayed: bool = False
    # When it became ready, or will become ready.
    ready_at: float = 0.0
    # When a worker took it; None while no worker has it.
    started_at: float | None = None
    # From when it was ready to when a worker last took it.
    waited_seconds: float = 0.0
    # Why it was added since a worker last asked.
    reasons: tuple[Reason, ...] = ()
