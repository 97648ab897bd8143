"""What a process must be allowed to do: declared, turned into roles, asked of the server, compared with what it did.

Guarantees: no role has a wildcard, and the same rights always give the same
rules; a review names each right that is missing, and only those; a server that
cannot answer reviews stops nobody; a recorder misses no request of the clients
that it was given to.
Not guaranteed: that a right which is there now is there later.
"""

from framework.rights.comparison import Comparison, compare
from framework.rights.need import Need, needs_of
from framework.rights.recorder import AccessRecorder
from framework.rights.review import AccessReviews, check_rights, missing_rights_message
from framework.rights.right import Place, Right
from framework.rights.roles import Roles, roles_of

__all__ = [
    "AccessRecorder",
    "AccessReviews",
    "Comparison",
    "Need",
    "Place",
    "Right",
    "Roles",
    "check_rights",
    "compare",
    "missing_rights_message",
    "needs_of",
    "roles_of",
]
