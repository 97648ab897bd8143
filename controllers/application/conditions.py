"""What the conditions of an Application say about its Instance."""

from apis.laf.application import Phase
from apis.laf.instance import DesiredState, Instance
from controllers.application.phase import Sight
from controllers.reporting.observation import Observation
from framework.conditions import find_condition

_READY, _CREATED, _DELETED = "Ready", "InstanceCreated", "InstanceDeleted"


def not_ready(reason: str, message: str = "") -> Observation:
    return Observation(_READY, "False", reason, message)


def instance_conditions(
    phase: Phase, desired: DesiredState, sight: Sight, instance: Instance | None, problem: str = ""
) -> tuple[Observation, ...]:
    """In *phase*, which is Initialized or later, while that much is seen of the Instance."""
    if phase is Phase.STOPPING:
        return (not_ready("Stopping"),)
    if sight is Sight.FOREIGN and desired is DesiredState.RUNNING and instance is not None:
        message = f"Instance {instance.key} is not controlled by this Application; delete or rename it"
        return Observation(_CREATED, "False", "NameCollision", message), not_ready("InstancePending", message)
    if phase is Phase.STOPPED:
        return stopped_conditions()
    if instance is None or sight in {Sight.ABSENT, Sight.FOREIGN}:
        return Observation(_CREATED, "False", "NotCreated", problem), not_ready("InstancePending", problem)
    return (
        Observation(_CREATED, "True", _CREATED),
        Observation(_DELETED, "False", "InstancePresent"),
        readiness(phase, instance),
    )


def stopped_conditions() -> tuple[Observation, ...]:
    return (*gone_conditions(), not_ready("Stopped"))


def gone_conditions() -> tuple[Observation, ...]:
    return Observation(_DELETED, "True", _DELETED), Observation(_CREATED, "False", "Stopped")


def readiness(phase: Phase, instance: Instance) -> Observation:
    """That of the Instance; not before the phase is Running, for until then it may speak of an older spec."""
    found = find_condition(instance.status.conditions, _READY)
    if found is not None and found.status == "Unknown":
        return Observation(_READY, "Unknown", "InstanceUnknown", found.message)
    if found is not None and found.status == "True" and phase is Phase.RUNNING:
        return Observation(_READY, "True", "InstanceReady")
    message = "" if found is None else found.message
    if phase is not Phase.RUNNING and not instance.status.cluster_uid:
        return not_ready("InstancePending", message)
    return not_ready("InstanceNotReady", message)


def is_ready(instance: Instance) -> bool:
    """In the generation that it has now."""
    found = find_condition(instance.status.conditions, _READY)
    is_current = instance.status.observed_generation == instance.metadata.generation
    return found is not None and found.status == "True" and is_current
