"""How far the pods of a bundle have come."""

from apis.apps.v1 import Deployment
from controllers.reporting.observation import Observation

_AVAILABLE = "Available"


def is_rolled_out(deployment: Deployment) -> bool:
    status, wanted = deployment.status, deployment.spec.replicas
    is_observed = status.observed_generation >= deployment.metadata.generation
    return is_observed and status.updated_replicas == status.available_replicas == status.replicas == wanted


def availability(deployment: Deployment | None) -> Observation:
    if deployment is None:
        return Observation(_AVAILABLE, "False", "RollingOut", "the Deployment is being made")
    if is_rolled_out(deployment):
        return Observation(_AVAILABLE, "True", "RolledOut")
    progress = next((each for each in deployment.status.conditions if each.type == "Progressing"), None)
    is_observed = deployment.status.observed_generation >= deployment.metadata.generation
    if progress is not None and is_observed and progress.reason == "ProgressDeadlineExceeded":
        return Observation(_AVAILABLE, "False", "RolloutFailed", progress.message)
    status = deployment.status
    message = f"{status.updated_replicas} of {deployment.spec.replicas} pods are updated, {status.available_replicas}"
    return Observation(_AVAILABLE, "False", "RollingOut", f"{message} available")
