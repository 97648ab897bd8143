"""Collects garbage after each run instead of all the time: nearly all that a run makes dies with it, in cycles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collected_after_each_run() -> Iterator[None]:
    """Around many runs: what is there before them is not looked at again."""
    was_enabled = gc.isenabled()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if was_enabled:
            gc.enable()


def collect_run() -> None:
    """After a run. Sooner than memory needs it: the next run gets pages that are still in the caches."""
    if not gc.isenabled():
        gc.collect()
