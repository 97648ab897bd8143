"""The same workloads, run by the controllers of both servers, end up the same."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.controllers.stage import Stage

LABELS = {"app": "web"}
REVISION = "deployment.kubernetes.io/revision"


def pod_spec(image: str, **spec: Any) -> Any:
    # The embedded server mounts no token: there is nobody to read it.
    return {"containers": [{"name": "main", "image": image}], "automountServiceAccountToken": False, **spec}


def template(image: str = "web:1") -> Any:
    return {"metadata": {"labels": LABELS}, "spec": pod_spec(image)}


def deployment(**spec: Any) -> Any:
    wanted = {"selector": {"matchLabels": LABELS}, "template": template(), "replicas": 3, **spec}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": wanted}


def read(stage: Stage, group: str, plural: str, name: str) -> Any:
    return stage.api.get(stage.path(group, plural, name)).ok


def is_rolled_out(stage: Stage, replicas: int) -> bool:
    """What `kubectl rollout status` waits for, and that nothing of the old is left."""
    web = read(stage, "apps", "deployments", "web")
    status, generation = web["status"], web["metadata"]["generation"]
    names = ("replicas", "updatedReplicas", "availableReplicas")
    reasons = [one["reason"] for one in status.get("conditions") or ()]
    return (
        status.get("observedGeneration", 0) >= generation
        and all(status.get(name, 0) == replicas for name in names)
        and ("NewReplicaSetAvailable" in reasons or "DeploymentPaused" in reasons)
        and status.get("terminatingReplicas", 0) == 0
        and len(stage.pods()) == replicas
    )


def end_of_deployment(stage: Stage) -> list[Any]:
    web = read(stage, "apps", "deployments", "web")
    found = stage.api.get(stage.path("apps", "replicasets")).ok["items"]
    replica_sets = sorted(found, key=lambda one: int(one["metadata"]["annotations"][REVISION]))
    hashes = {one["metadata"]["labels"]["pod-template-hash"]: f"HASH{n}" for n, one in enumerate(replica_sets)}
    # Which comes first is up to the order of events.
    web["status"]["conditions"].sort(key=lambda one: str(one["type"]))
    return stage.masked(web, *replica_sets, *stage.pods(), names=hashes)


def created(stage: Stage) -> None:
    stage.api.create(stage.path("apps", "deployments"), deployment())
    stage.play(lambda: is_rolled_out(stage, 3))


def updated(stage: Stage) -> None:
    created(stage)
    stage.api.patch(stage.path("apps", "deployments", "web"), {"spec": {"template": template("web:2")}})
    stage.play(lambda: is_rolled_out(stage, 3))


def rolled_back(stage: Stage) -> None:
    updated(stage)
    stage.api.patch(stage.path("apps", "deployments", "web"), {"spec": {"template": template("web:1")}})
    stage.play(lambda: is_rolled_out(stage, 3))


def scaled(stage: Stage) -> None:
    created(stage)
    stage.api.patch(stage.path("apps", "deployments", "web", "scale"), {"spec": {"replicas": 5}})
    stage.play(lambda: is_rolled_out(stage, 5))


def paused(stage: Stage) -> None:
    created(stage)
    path = stage.path("apps", "deployments", "web")
    stage.api.patch(path, {"spec": {"paused": True}})
    stage.play(lambda: is_rolled_out(stage, 3) and "DeploymentPaused" in stage.api.get(path).body.decode())
    stage.api.patch(path, {"spec": {"template": template("web:2"), "replicas": 5}})
    stage.play(lambda: stage.api.get(path).ok["status"].get("availableReplicas") == 5)


def scaled_to_nothing(stage: Stage) -> None:
    created(stage)
    stage.api.patch(stage.path("apps", "deployments", "web", "scale"), {"spec": {"replicas": 0}})
    stage.play(lambda: is_rolled_out(stage, 0))


def recreated(stage: Stage) -> None:
    stage.api.create(stage.path("apps", "deployments"), deployment(strategy={"type": "Recreate"}))
    stage.play(lambda: is_rolled_out(stage, 3))
    stage.api.patch(stage.path("apps", "deployments", "web"), {"spec": {"template": template("web:2")}})
    stage.play(lambda: is_rolled_out(stage, 3))


@pytest.mark.parametrize(
    "play", [created, updated, rolled_back, scaled, paused, scaled_to_nothing, recreated], ids=lambda one: one.__name__
)
def test_a_deployment_ends_up_the_same(embedded_workloads: Api, real_api: Api, play: Callable[[Stage], None]) -> None:
    ours, theirs = Stage(embedded_workloads), Stage(real_api)

    play(ours)
    play(theirs)

    assert end_of_deployment(ours) == end_of_deployment(theirs)


def test_a_job_ends_up_the_same(embedded_workloads: Api, real_api: Api) -> None:
    ours, theirs = Stage(embedded_workloads), Stage(real_api)

    ends = [_run_job(stage, completions=3, parallelism=2) for stage in (ours, theirs)]

    assert ends[0] == ends[1]


def test_a_failed_job_ends_up_the_same(embedded_workloads: Api, real_api: Api) -> None:
    ours, theirs = Stage(embedded_workloads), Stage(real_api)

    ends = [_run_job(stage, end="Failed", backoffLimit=0) for stage in (ours, theirs)]

    assert ends[0] == ends[1]


def test_a_suspended_job_looks_the_same(embedded_workloads: Api, real_api: Api) -> None:
    ours, theirs = Stage(embedded_workloads), Stage(real_api)

    ends = [_run_job(stage, condition="Suspended", suspend=True) for stage in (ours, theirs)]

    assert ends[0] == ends[1]


def test_an_indexed_job_ends_up_the_same(embedded_workloads: Api, real_api: Api) -> None:
    ours, theirs = Stage(embedded_workloads), Stage(real_api)

    ends = [_run_job(stage, completions=3, parallelism=3, completionMode="Indexed") for stage in (ours, theirs)]

    assert ends[0] == ends[1]


def test_a_stateful_set_ends_up_the_same(embedded_workloads: Api, real_api: Api) -> None:
    ours, theirs = Stage(embedded_workloads), Stage(real_api)

    ends = [_run_stateful_set(stage) for stage in (ours, theirs)]

    assert ends[0] == ends[1]


def _run_job(stage: Stage, *, end: str = "Succeeded", condition: str = "", **spec: Any) -> list[Any]:
    made = {"spec": pod_spec("work:1", restartPolicy="Never")}
    work = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "work"}, "spec": {"template": made, **spec}}
    stage.api.create(stage.path("batch", "jobs"), work)
    last = condition or {"Succeeded": "Complete", "Failed": "Failed"}[end]

    def is_over() -> bool:
        conditions = read(stage, "batch", "jobs", "work")["status"].get("conditions") or ()
        return any(one["type"] == last and one["status"] == "True" for one in conditions)

    stage.play(is_over, end=end)
    return stage.masked(read(stage, "batch", "jobs", "work"), *stage.pods())


def _run_stateful_set(stage: Stage) -> list[Any]:
    wanted = {**deployment()["spec"], "serviceName": "web"}
    made = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web"}, "spec": wanted}
    path = stage.path("apps", "statefulsets")
    stage.api.create(path, made)
    stage.play(lambda: read(stage, "apps", "statefulsets", "web")["status"].get("availableReplicas") == 3)
    stage.api.patch(f"{path}/web", {"spec": {"template": template("web:2"), "replicas": 2}})

    def is_over() -> bool:
        status = read(stage, "apps", "statefulsets", "web")["status"]
        is_updated = status["updateRevision"] == status["currentRevision"] and status["observedGeneration"] == 2
        return is_updated and status.get("availableReplicas") == 2 and len(stage.pods()) == 2

    stage.play(is_over)
    web = read(stage, "apps", "statefulsets", "web")
    return stage.masked(web, *stage.pods(), names={web["status"]["updateRevision"]: "REVISION"})
