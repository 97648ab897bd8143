"""The queue between event handlers and workers: one entry per item, by priority, delayed, rate limited.

Guarantees:
- An item is with one worker at a time; an add during the work is kept and waits for `done`.
- Items added while they wait are merged: the higher priority and the earlier time count.
- Higher priority first; within one, in the order in which items became ready. Nothing starves: an item that could
  have been taken for `max_wait_seconds` at its priority goes next whatever the priority of the others, though such
  items get no more than one of `OVERDUE_SHARE` hand-outs while others wait.
- With groups: at most `max_started_per_group` items of a group are with workers at a time, however many wait, and the
  others never wait for them; within one priority the groups take turns. A queue without groups pays nothing.
- Once the queue has ended `get` raises and never blocks; a drain ends it only when all accepted work is done.
- The reasons of merged adds stay together, and reach whoever works on the item next; their number is bounded.
- No thread of its own: getters watch the delayed items, one of them at a time.

Not guaranteed:
- That an item is worked on once per add.
- Anything across a restart: nothing is stored.
"""

from framework.workqueue.metrics import EXCEEDED_CARDINALITY_LIMIT, MAX_PRIORITY_LABELS, WorkQueueMetrics
from framework.workqueue.rate_limiters import (
    ExponentialPerItem,
    MaxOf,
    RateLimiter,
    TokenBucket,
    default_rate_limiter,
)
from framework.workqueue.ready import OVERDUE_SHARE
from framework.workqueue.reason import MAX_REASONS, Reason
from framework.workqueue.work_queue import DEFAULT_MAX_WAIT_SECONDS, LOW_PRIORITY, WorkQueue

__all__ = [
    "DEFAULT_MAX_WAIT_SECONDS",
    "EXCEEDED_CARDINALITY_LIMIT",
    "LOW_PRIORITY",
    "MAX_PRIORITY_LABELS",
    "MAX_REASONS",
    "OVERDUE_SHARE",
    "ExponentialPerItem",
    "MaxOf",
    "RateLimiter",
    "Reason",
    "TokenBucket",
    "WorkQueue",
    "WorkQueueMetrics",
    "default_rate_limiter",
]
