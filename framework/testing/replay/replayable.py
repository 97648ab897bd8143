"""Which deeds of a plan a relay, a signal and a user can do to real processes, and which nobody can."""

from collections.abc import Mapping

from framework.errors import ConfigurationError
from framework.testing.simulation.plan import Fault, Plan

# By deed: the classes of faults that it belongs to.
REPLAYABLE: Mapping[str, str] = {
    "crash_before": "F1",
    "crash_after": "F1 F6",
    "lose_answer": "F2 F18",
    "answer": "F10-F15 F31",
    "time_out": "F2 F18",
    "delay": "F9 F18",
    "freeze": "F3 F19",
    "reset": "F16",
    "end_watch": "F20",
    "half_event": "F17",
    "expire_watch": "F12 F21",
    "hold_event": "F3 F9 F19",
    "skip_event": "F5",
    "duplicate_event": "F8",
    "delete": "F27",
    "recreate": "F28",
    "refuse": "F24",
    "delete_lease": "F24",
    "take_lease": "F24",
    "stand_still": "F25",
    "terminate": "F26",
    "cut": "F22",
    "partition": "F19",
}
_OUTAGES = frozenset({"cut", "partition"})
# Of those that cannot be done: why not.
IMPOSSIBLE: Mapping[str, str] = {
    "jump": "the clock of the machine belongs to everybody on it",
    "lag": "the watch cache of a real server cannot be stopped",
    "travel": "the watch cache of a real server cannot be stopped",
    "cut_off": "a relay cannot make a real server forget what has happened meanwhile",
    "webhook_refuses": "the webhooks of a replayed process are not asked through a relay",
    "webhook_hangs": "the webhooks of a replayed process are not asked through a relay",
    "webhook_babbles": "the webhooks of a replayed process are not asked through a relay",
}


class NotReplayable(ConfigurationError):
    """A plan asks for what cannot be done to a real process or a real server."""


def check_is_replayable(plan: Plan) -> None:
    for fault in plan.faults:
        if reason := obstacle_to(fault):
            raise NotReplayable(f"{fault.do!r} cannot be replayed: {reason}")


def obstacle_to(fault: Fault) -> str:
    """Why *fault* cannot be replayed, or nothing."""
    if fault.do in _OUTAGES and fault.object:
        return f"a replay has one cluster, and not {fault.object!r}"
    if fault.do in REPLAYABLE:
        return ""
    return IMPOSSIBLE.get(fault.do, "neither a relay, nor a signal, nor a user can do it")


def class_of(fault: Fault) -> str:
    """The class, as exactly as the fault says it."""
    if fault.do == "answer":
        return {409: "F10 F11", 410: "F12", 504: "F13", 429: "F14", 401: "F31", 403: "F31"}.get(fault.code, "F15")
    return REPLAYABLE.get(fault.do, "-")
