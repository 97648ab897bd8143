"""The Runtime seam: threads and everything they can block on.

Guarantees: whatever blocks in the framework blocks on an object made here, or
in the Clock or the Transport, so that a simulation can decide who runs next.
Not guaranteed: any order between tasks beyond what the objects say.
"""

from framework.runtime.deadline import Deadline, bind_deadline, current_deadline, deadline_scope
from framework.runtime.runtime import Condition, Event, Lock, Runtime, Task
from framework.runtime.threads import ThreadRuntime

__all__ = [
    "Condition",
    "Deadline",
    "Event",
    "Lock",
    "Runtime",
    "Task",
    "ThreadRuntime",
    "bind_deadline",
    "current_deadline",
    "deadline_scope",
]
