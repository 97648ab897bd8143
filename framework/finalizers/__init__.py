"""Keeps an object until what was made for it elsewhere is gone.

Guarantees: nothing is made for an object before the server has our finalizer
on it, and it is taken off last; cleanup runs only for an object that is being
deleted and still has it; finalizers of others stay; an object that changed
since it was read is not touched (Conflict, the queue retries); one that is gone
is finished. A crash after any step repeats at most the cleanup.
Not guaranteed: that cleanup runs once; it must succeed when there is nothing
left to clean up. Whoever takes our finalizer off by hand takes the cleanup with it.
"""

from framework.finalizers.finalizer import Finalizer
from framework.finalizers.with_finalizer import Apply, Cleanup, Getter, with_finalizer

__all__ = ["Apply", "Cleanup", "Finalizer", "Getter", "with_finalizer"]
