"""What can happen to a Lease on a real server."""

from datetime import datetime

from apis.meta import micro_time
from framework.testing.replay.user import MERGE_PATCH, RealUser
from framework.testing.simulation.plan import Fault

# By deed: what is done to the Lease.
LOSSES = {"delete_lease": "DELETE", "take_lease": "PATCH"}
_STRANGER = "somebody-else"


def lose_lease(user: RealUser, fault: Fault, now: datetime) -> None:
    """Delete it, or write in another holder, who does not renew it."""
    lease = user.get(fault.object)
    if lease is None:
        return
    if LOSSES[fault.do] == "DELETE":
        user.ask("DELETE", fault.object)
        return
    time = micro_time(now)
    transitions = int(lease["spec"].get("leaseTransitions") or 0) + 1
    taken = {"holderIdentity": _STRANGER, "leaseTransitions": transitions, "acquireTime": time, "renewTime": time}
    user.ask("PATCH", fault.object, {"spec": taken}, MERGE_PATCH)
