"""When an Instance is ready."""

import pytest

from apis.apps.v1 import Deployment, DeploymentCondition, DeploymentSpec, DeploymentStatus
from apis.meta import ObjectMeta
from controllers.instance.readiness import ready_of


@pytest.mark.parametrize(
    ("replicas", "available", "updated", "observed", "expected"),
    [
        (0, 0, 0, 1, ("True", "ScaledToZero")),
        (1, 0, 0, 0, ("False", "ReplicasUnavailable")),
        (1, 1, 1, 1, ("True", "Ready")),
        (1, 1, 1, 0, ("True", "RollingOut")),
        (2, 1, 2, 1, ("True", "PartiallyReady")),
        (3, 1, 3, 1, ("False", "ReplicasUnavailable")),
        (3, 2, 3, 1, ("True", "PartiallyReady")),
        (3, 2, 1, 1, ("True", "RollingOut")),
        (3, 3, 3, 1, ("True", "Ready")),
    ],
)
def test_half_of_the_replicas_rounded_up_will_do(
    replicas: int, available: int, updated: int, observed: int, expected: tuple[str, str]
) -> None:
    status = DeploymentStatus(available_replicas=available, updated_replicas=updated, observed_generation=observed)
    deployment = Deployment(
        metadata=ObjectMeta(name="a", generation=1), spec=DeploymentSpec(replicas=replicas), status=status
    )

    ready = ready_of(deployment)

    assert (ready.status, ready.reason) == expected


def test_a_deployment_that_gave_up_says_so() -> None:
    gave_up = DeploymentCondition(type="Progressing", status="False", reason="ProgressDeadlineExceeded")
    deployment = Deployment(metadata=ObjectMeta(name="a"), status=DeploymentStatus(conditions=[gave_up]))

    assert ready_of(deployment).reason == "ProgressDeadlineExceeded"
