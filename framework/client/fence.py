"""A right to write that ends: inside its scope no write is sent once it is over, through whatever client.

Who works under such a right binds its fence around the work, as a controller
does around each reconcile. Every connection looks for it by itself, so there
is no client that could be without: not one for another cluster, nor one that
the reconciler made. The last look is the transport's, when the connection
stands and the next thing to happen is the sending; and what is on the wire
when the right ends is cut off.
"""

from contextvars import ContextVar

from framework.client.cancellation import Cancellation
from framework.errors import LeadershipLost

_current: ContextVar["Fence | None"] = ContextVar("windlass_fence", default=None)


class Fence(Cancellation):
    """A cancellation for everything that is written under one right.

    `is_requested` is true as soon as the right is over, and stays so.
    """

    def check(self, *, is_under_way: bool = False) -> None:
        """Raise LeadershipLost if the right is over; a write that is under way by then may have been made."""
        if self.is_requested:
            raise LeadershipLost(self.explanation, may_have_been_made=is_under_way)

    @property
    def explanation(self) -> str:
        """Why nothing may be written any more, in one line."""
        return "the right to write is over"


def current_fence() -> Fence | None:
    return _current.get()


def bind_fence(fence: Fence) -> None:
    """From here on, to the end of this context, write only while *fence* is not over.

    Meant for a context that ends with the work: see `contextvars.copy_context`.
    """
    _current.set(fence)
