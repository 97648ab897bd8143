from typing import Any

import pytest

from framework.apiserver.controllers import EVERYTHING
from framework.apiserver.controllers.conditions import find_condition
from framework.apiserver.objects import Object
from tests.unit.framework.apiserver.controllers.cluster import Cluster
from tests.unit.framework.apiserver.controllers.workloads import (
    DEPLOYMENTS,
    PODS,
    REPLICA_SETS,
    conditions,
    counts,
    deployment,
    images,
    set_image,
)

WEB = f"{DEPLOYMENTS}/web"
REVISION = "deployment.kubernetes.io/revision"
WITHOUT_KUBELET = {name: make for name, make in EVERYTHING.items() if name != "kubelet"}


@pytest.fixture
def cluster() -> Cluster:
    return Cluster(EVERYTHING)


def revisions(cluster: Cluster) -> dict[str, int]:
    """The size of the ReplicaSet of each revision."""
    return {one["metadata"]["annotations"][REVISION]: one["spec"]["replicas"] for one in cluster.items(REPLICA_SETS)}


def running(cluster: Cluster, **spec: Any) -> Object:
    cluster.create(DEPLOYMENTS, deployment(**spec))
    cluster.settle()
    return cluster.read(WEB)


def test_a_deployment_becomes_available(cluster: Cluster) -> None:
    web = running(cluster, replicas=3)

    assert counts(web, "replicas", "updatedReplicas", "readyReplicas", "availableReplicas") == (3, 3, 3, 3)
    assert web["status"]["observedGeneration"] == web["metadata"]["generation"] == 1
    assert web["metadata"]["annotations"][REVISION] == "1"
    assert conditions(web) == {
        "Available": ("True", "MinimumReplicasAvailable"),
        "Progressing": ("True", "NewReplicaSetAvailable"),
    }


def test_its_replica_set_and_pods_carry_the_hash_of_the_template(cluster: Cluster) -> None:
    running(cluster, replicas=2)

    (made,) = cluster.items(REPLICA_SETS)
    template_hash = made["metadata"]["labels"]["pod-template-hash"]
    assert made["metadata"]["name"] == f"web-{template_hash}"
    assert made["spec"]["selector"]["matchLabels"] == {"app": "web", "pod-template-hash": template_hash}
    for pod in cluster.items(PODS):
        assert pod["metadata"]["name"].startswith(f"web-{template_hash}-")
        assert pod["metadata"]["labels"]["pod-template-hash"] == template_hash


def test_a_new_image_is_rolled_out(cluster: Cluster) -> None:
    running(cluster, replicas=4)

    set_image(cluster, WEB, "web:2")
    cluster.settle()

    web = cluster.read(WEB)
    assert images(cluster) == ["web:2"] * 4
    assert revisions(cluster) == {"1": 0, "2": 4}
    assert counts(web, "replicas", "updatedReplicas", "availableReplicas") == (4, 4, 4)
    assert web["metadata"]["annotations"][REVISION] == "2"
    assert web["status"]["observedGeneration"] == 2


def test_a_rollout_never_has_too_few_or_too_many_pods() -> None:
    cluster = Cluster(EVERYTHING)
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}}
    running(cluster, replicas=5, strategy=rolling)
    start = cluster.revision

    set_image(cluster, WEB, "web:2")
    cluster.settle()

    seen = [change.obj["status"] for change in cluster.changes_since(start, "apps", "deployments")]
    assert max(status["replicas"] for status in seen) == 6
    assert min(status["availableReplicas"] for status in seen) >= 4


def test_going_back_to_an_old_template_uses_its_replica_set_again(cluster: Cluster) -> None:
    running(cluster, replicas=2)
    set_image(cluster, WEB, "web:2")
    cluster.settle()

    set_image(cluster, WEB, "web:1")
    cluster.settle()

    assert images(cluster) == ["web:1", "web:1"]
    assert revisions(cluster) == {"2": 0, "3": 2}
    newest = next(one for one in cluster.items(REPLICA_SETS) if one["spec"]["replicas"])
    assert newest["metadata"]["annotations"]["deployment.kubernetes.io/revision-history"] == "1"


def test_scaling_changes_the_replica_set_alone(cluster: Cluster) -> None:
    running(cluster, replicas=2)

    cluster.patch(f"{WEB}/scale", {"spec": {"replicas": 5}})
    cluster.settle()

    assert revisions(cluster) == {"1": 5}
    assert counts(cluster.read(WEB), "replicas", "availableReplicas") == (5, 5)
    cluster.patch(f"{WEB}/scale", {"spec": {"replicas": 0}})
    cluster.settle()
    assert cluster.names(PODS) == []
    assert conditions(cluster.read(WEB))["Available"][0] == "True"


def test_scaling_in_the_middle_of_a_rollout_ends_in_the_right_place() -> None:
    cluster = Cluster(WITHOUT_KUBELET)
    running(cluster, replicas=4)
    set_image(cluster, WEB, "web:2")
    cluster.settle()

    cluster.patch(f"{WEB}/scale", {"spec": {"replicas": 8}})
    cluster.settle()
    cluster.use(EVERYTHING)
    cluster.settle()

    assert images(cluster) == ["web:2"] * 8


def test_a_paused_deployment_scales_but_does_not_roll_out(cluster: Cluster) -> None:
    running(cluster, replicas=2)

    cluster.patch(WEB, {"spec": {"paused": True}})
    set_image(cluster, WEB, "web:2")
    cluster.patch(f"{WEB}/scale", {"spec": {"replicas": 3}})
    cluster.settle()

    assert images(cluster) == ["web:1"] * 3
    assert conditions(cluster.read(WEB))["Progressing"] == ("Unknown", "DeploymentPaused")
    cluster.patch(WEB, {"spec": {"paused": None}})
    cluster.settle()
    assert images(cluster) == ["web:2"] * 3
    assert conditions(cluster.read(WEB))["Progressing"] == ("True", "NewReplicaSetAvailable")


def test_recreate_never_runs_two_revisions_side_by_side() -> None:
    cluster = Cluster(EVERYTHING)
    running(cluster, replicas=3, strategy={"type": "Recreate"})
    start = cluster.revision

    set_image(cluster, WEB, "web:2")
    cluster.settle()

    assert images(cluster) == ["web:2"] * 3
    alive = {"web:1": 3, "web:2": 0}
    for change in cluster.changes_since(start, "", "pods"):
        image = change.obj["spec"]["containers"][0]["image"]
        alive[image] += {"ADDED": 1, "DELETED": -1, "MODIFIED": 0}[change.type]
        assert not (alive["web:1"] and alive["web:2"])


def test_old_revisions_beyond_the_limit_are_deleted(cluster: Cluster) -> None:
    running(cluster, replicas=1, revisionHistoryLimit=2)

    for number in range(2, 7):
        set_image(cluster, WEB, f"web:{number}")
        cluster.settle()

    assert revisions(cluster) == {"4": 0, "5": 0, "6": 1}


def test_a_rollout_without_progress_runs_out_of_time() -> None:
    cluster = Cluster(WITHOUT_KUBELET)

    running(cluster, replicas=1, progressDeadlineSeconds=60)
    assert conditions(cluster.read(WEB))["Progressing"] == ("True", "ReplicaSetUpdated")
    cluster.settle_through(65)

    assert conditions(cluster.read(WEB))["Progressing"] == ("False", "ProgressDeadlineExceeded")


def test_pods_are_available_only_after_they_have_been_ready_long_enough(cluster: Cluster) -> None:
    web = running(cluster, replicas=2, minReadySeconds=10)
    assert counts(web, "readyReplicas", "availableReplicas") == (2, 0)

    cluster.settle_through(10)

    assert counts(cluster.read(WEB), "readyReplicas", "availableReplicas") == (2, 2)


def test_annotations_of_a_deployment_reach_its_replica_set(cluster: Cluster) -> None:
    running(cluster, replicas=1)

    cluster.patch(WEB, {"metadata": {"annotations": {"kubernetes.io/change-cause": "a reason"}}})
    cluster.settle()

    (made,) = cluster.items(REPLICA_SETS)
    assert made["metadata"]["annotations"]["kubernetes.io/change-cause"] == "a reason"


def test_a_replica_set_that_somebody_left_behind_is_adopted(cluster: Cluster) -> None:
    running(cluster, replicas=2)
    before = cluster.names(PODS)
    cluster.delete(WEB, "Orphan")
    cluster.settle()
    assert cluster.names(PODS) == before

    running(cluster, replicas=2)

    assert cluster.names(PODS) == before
    assert len(cluster.items(REPLICA_SETS)) == 1


def test_a_name_that_somebody_else_has_is_avoided(cluster: Cluster) -> None:
    running(cluster, replicas=1)
    (made,) = cluster.items(REPLICA_SETS)
    cluster.delete(WEB)
    cluster.settle()
    taken = {"app": "other"}
    other = deployment(made["metadata"]["name"], replicas=0)
    other["kind"] = "ReplicaSet"
    other["spec"]["selector"]["matchLabels"] = other["spec"]["template"]["metadata"]["labels"] = taken
    cluster.create(REPLICA_SETS, other)

    web = running(cluster, replicas=1)

    assert web["status"]["collisionCount"] == 1
    assert counts(web, "availableReplicas") == (1,)


@pytest.mark.parametrize("policy", ["Background", "Foreground"])
def test_everything_goes_with_a_deleted_deployment(cluster: Cluster, policy: str) -> None:
    running(cluster, replicas=3)

    cluster.delete(WEB, policy)
    cluster.settle()

    assert cluster.get(WEB) is None
    assert cluster.items(REPLICA_SETS) == []
    assert cluster.items(PODS) == []


def test_a_template_that_the_server_refuses_is_told_in_the_status(cluster: Cluster) -> None:
    web = running(cluster, replicas=1)
    set_image(cluster, WEB, "web:2")
    cluster.create("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", refuse_pods())

    cluster.settle()

    web = cluster.read(WEB)
    assert conditions(web)["ReplicaFailure"] == ("True", "FailedCreate")
    assert conditions(web)["Available"][0] == "True"
    failure = find_condition(web["status"]["conditions"], "ReplicaFailure")
    assert failure is not None
    assert "refuse.example.com" in failure["message"]


def test_a_settled_deployment_is_quiet_also_for_new_controllers(cluster: Cluster) -> None:
    running(cluster, replicas=3)
    set_image(cluster, WEB, "web:2")
    cluster.settle()
    before = cluster.revision

    cluster.restart_controllers()
    cluster.settle_through(30)

    assert cluster.revision == before


def refuse_pods() -> Object:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    webhook = {
        "name": "refuse.example.com",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        # Nobody listens there, so that every creation fails.
        "clientConfig": {"url": "https://127.0.0.1:1/refuse"},
        "rules": [rule],
    }
    return {"kind": "ValidatingWebhookConfiguration", "metadata": {"name": "refuse"}, "webhooks": [webhook]}
