"""What an error of the server means for an event: try again, or never mind."""

from framework.errors import (
    AlreadyExists,
    ApiError,
    Conflict,
    Forbidden,
    NotFound,
    ServerError,
    TerminalError,
    TooManyRequests,
    Unauthorized,
)
from framework.events.metrics import FailReason

# A token that is being replaced is refused for a moment; the rest is what the server itself wants to see again.
_PASSES = (AlreadyExists, Conflict, ServerError, TooManyRequests, Unauthorized)
# Not worth a warning: who deletes a namespace does not want to hear more from it.
QUIET: frozenset[FailReason] = frozenset({"namespace_terminating", "namespace_not_found"})


def refusal_of(error: Exception) -> FailReason | None:
    """Why the event will never be taken; None if it may be taken later."""
    if isinstance(error, Forbidden) and error.has_cause("NamespaceTerminating"):
        return "namespace_terminating"
    if isinstance(error, NotFound) and error.details.kind == "namespaces":
        return "namespace_not_found"
    if isinstance(error, ApiError) and not isinstance(error, _PASSES):
        return "rejected"
    return "rejected" if isinstance(error, TerminalError) else None
