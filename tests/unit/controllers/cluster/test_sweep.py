"""Whose objects are left over on a cluster, and whose may be needed."""

import pytest

from apis.laf.instance import DesiredState, Instance, InstanceSpec, InstanceStatus
from apis.meta import ObjectMeta
from controllers.cluster.sweep import why_orphan

HERE, ELSEWHERE = "id-here", "id-elsewhere"


def an_instance(cluster_uid: str, state: DesiredState = DesiredState.RUNNING) -> Instance:
    spec = InstanceSpec(region="east", appid="shop01", bundle="small", runtime="node18", state=state)
    status = InstanceStatus(cluster_uid=cluster_uid)
    return Instance(metadata=ObjectMeta(name="shop", namespace="tenant"), spec=spec, status=status)


@pytest.mark.parametrize(
    ("instance", "other_id", "why"),
    [
        (None, "", "does not exist"),
        (an_instance("uid"), "", ""),
        (an_instance("uid"), ELSEWHERE, "is on another cluster"),
        # Another Cluster that leads to the same cluster.
        (an_instance("uid"), HERE, ""),
        (an_instance(""), "", ""),
        (an_instance("", DesiredState.STOPPED), "", "is stopped"),
        # Its objects are being deleted by who has it.
        (an_instance("uid", DesiredState.STOPPED), "", ""),
        (Instance(metadata=ObjectMeta(name="empty", namespace="tenant")), "", ""),
    ],
)
def test_an_object_is_left_over_only_if_its_instance_certainly_is_not_here(
    instance: Instance | None, other_id: str, why: str
) -> None:
    assert why_orphan(instance, HERE, other_id) == why
