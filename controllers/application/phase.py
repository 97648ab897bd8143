"""The phases of an Application, and what leads from one to the next."""

from enum import Enum

from apis.laf.application import Phase
from apis.laf.instance import DesiredState


class Sight(Enum):
    """What is seen of the Instance of an Application."""

    # None of ours; while it is stopped: the server itself has said so.
    ABSENT = "absent"
    # Another object has its name.
    FOREIGN = "foreign"
    # Ours, and being deleted: it is never used again.
    LEAVING = "leaving"
    # Ours, not ready, and not the one that was last seen.
    REPLACED = "replaced"
    PRESENT = "present"
    # Present, and ready in its current generation.
    READY = "ready"


_USABLE = frozenset({Sight.REPLACED, Sight.PRESENT, Sight.READY})
_OURS = _USABLE | {Sight.LEAVING}


def next_phase(phase: Phase, desired: DesiredState, sight: Sight) -> Phase:
    """From Initialized on; before that, no Instance is looked at."""
    if phase is Phase.STOPPING:
        # To the end, also if it is wanted again meanwhile: what is being deleted is never used again.
        return phase if sight in _OURS else Phase.STOPPED
    return _towards_running(phase, sight) if desired is DesiredState.RUNNING else _towards_stopped(phase, sight)


def _towards_running(phase: Phase, sight: Sight) -> Phase:
    match phase:
        case Phase.STARTING:
            return Phase.RUNNING if sight is Sight.READY else phase
        case Phase.RUNNING:
            return phase if sight in {Sight.PRESENT, Sight.READY, Sight.LEAVING} else Phase.STARTING
        case _:
            return Phase.STARTING if sight in _USABLE else phase


def _towards_stopped(phase: Phase, sight: Sight) -> Phase:
    if phase in {Phase.STARTING, Phase.RUNNING}:
        return Phase.STOPPING
    # One that was made just before it was not wanted any more goes as well.
    return Phase.STOPPING if sight in _OURS else Phase.STOPPED
