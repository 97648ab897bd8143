"""Whether an Instance is ready, by the numbers of its Deployment."""

from apis.apps.v1 import Deployment
from controllers.reporting.observation import Observation

READY = "Ready"


def ready_of(deployment: Deployment) -> Observation:
    wanted, status = deployment.spec.replicas, deployment.status
    if wanted == 0:
        return Observation(READY, "True", "ScaledToZero", "no replica is wanted")
    told = f"{status.available_replicas} of {wanted} replicas are available"
    # Half of them, rounded up, will do.
    if status.available_replicas < max(1, -(-wanted // 2)):
        progressing = next((each for each in status.conditions if each.type == "Progressing"), None)
        if progressing is not None and progressing.reason == "ProgressDeadlineExceeded":
            return Observation(READY, "False", "ProgressDeadlineExceeded", told)
        return Observation(READY, "False", "ReplicasUnavailable", told)
    if status.updated_replicas < wanted or status.observed_generation < deployment.metadata.generation:
        return Observation(READY, "True", "RollingOut", f"{told}, {status.updated_replicas} are up to date")
    if status.available_replicas < wanted:
        return Observation(READY, "True", "PartiallyReady", told)
    return Observation(READY, "True", "Ready", told)
