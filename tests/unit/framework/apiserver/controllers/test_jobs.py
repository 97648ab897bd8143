from typing import Any

import pytest

from framework.apiserver.controllers import EVERYTHING
from framework.apiserver.controllers.workloads.job_indexes import parse_indexes, spell_indexes
from framework.apiserver.objects import Object
from tests.unit.framework.apiserver.controllers.cluster import Cluster
from tests.unit.framework.apiserver.controllers.workloads import JOBS, PODS, conditions, counts, job

WORK = f"{JOBS}/work"
# Pods stay as they are until a test says what becomes of them.
BY_HAND = {name: make for name, make in EVERYTHING.items() if name not in {"kubelet", "scheduler"}}


@pytest.fixture
def cluster() -> Cluster:
    return Cluster(EVERYTHING)


@pytest.fixture
def by_hand() -> Cluster:
    return Cluster(BY_HAND)


def begin(cluster: Cluster, **spec: Any) -> Object:
    cluster.create(JOBS, job(**spec))
    cluster.settle()
    return cluster.read(WORK)


def end_pods(cluster: Cluster, phase: str, count: int | None = None) -> None:
    active = [one for one in cluster.items(PODS) if one["status"]["phase"] == "Pending"]
    for one in active[:count]:
        cluster.patch(f"{PODS}/{one['metadata']['name']}/status", {"status": {"phase": phase}})
    cluster.settle()


def active_pods(cluster: Cluster) -> int:
    return sum(one["status"]["phase"] == "Pending" for one in cluster.items(PODS))


def test_a_job_runs_to_its_end(cluster: Cluster) -> None:
    work = begin(cluster)

    assert conditions(work) == {
        "SuccessCriteriaMet": ("True", "CompletionsReached"),
        "Complete": ("True", "CompletionsReached"),
    }
    assert counts(work, "succeeded", "active", "failed") == (1, 0, 0)
    assert work["status"]["startTime"] == work["status"]["completionTime"]
    assert work["status"]["uncountedTerminatedPods"] == {}
    (pod,) = cluster.items(PODS)
    assert pod["status"]["phase"] == "Succeeded"
    assert pod["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 0
    assert "finalizers" not in pod["metadata"]


def test_so_many_pods_succeed_as_are_asked_for(cluster: Cluster) -> None:
    work = begin(cluster, completions=5, parallelism=2)

    assert counts(work, "succeeded") == (5,)
    assert len(cluster.items(PODS)) == 5


def test_no_more_pods_run_at_a_time_than_allowed(by_hand: Cluster) -> None:
    begin(by_hand, completions=5, parallelism=2)
    assert active_pods(by_hand) == 2

    end_pods(by_hand, "Succeeded", 1)

    assert active_pods(by_hand) == 2
    end_pods(by_hand, "Succeeded")
    end_pods(by_hand, "Succeeded")
    assert conditions(by_hand.read(WORK))["Complete"][0] == "True"


def test_a_failed_pod_is_replaced(by_hand: Cluster) -> None:
    begin(by_hand)

    end_pods(by_hand, "Failed")

    assert active_pods(by_hand) == 1
    assert counts(by_hand.read(WORK), "failed", "active") == (1, 1)


def test_too_many_failures_end_the_job(by_hand: Cluster) -> None:
    begin(by_hand, backoffLimit=1)

    end_pods(by_hand, "Failed")
    end_pods(by_hand, "Failed")

    work = by_hand.read(WORK)
    assert conditions(work)["Failed"] == ("True", "BackoffLimitExceeded")
    assert counts(work, "failed", "active") == (2, 0)
    assert "completionTime" not in work["status"]


def test_a_job_that_takes_too_long_fails(by_hand: Cluster) -> None:
    begin(by_hand, activeDeadlineSeconds=30)

    by_hand.settle_through(31)

    assert conditions(by_hand.read(WORK))["Failed"] == ("True", "DeadlineExceeded")
    assert active_pods(by_hand) == 0


def test_a_suspended_job_has_no_pods_until_it_is_resumed(cluster: Cluster) -> None:
    work = begin(cluster, suspend=True)
    assert conditions(work) == {"Suspended": ("True", "JobSuspended")}
    assert "startTime" not in work["status"]
    assert cluster.items(PODS) == []

    cluster.patch(WORK, {"spec": {"suspend": False}})
    cluster.settle()

    work = cluster.read(WORK)
    assert conditions(work)["Suspended"] == ("False", "JobResumed")
    assert conditions(work)["Complete"][0] == "True"


def test_suspending_a_running_job_removes_its_pods(by_hand: Cluster) -> None:
    begin(by_hand, parallelism=2, completions=2)

    by_hand.patch(WORK, {"spec": {"suspend": True}})
    by_hand.settle()

    assert by_hand.items(PODS) == []
    assert conditions(by_hand.read(WORK))["Suspended"] == ("True", "JobSuspended")


def test_each_index_succeeds_once(cluster: Cluster) -> None:
    work = begin(cluster, completionMode="Indexed", completions=4, parallelism=3)

    assert work["status"]["completedIndexes"] == "0-3"
    assert counts(work, "succeeded") == (4,)
    label = "batch.kubernetes.io/job-completion-index"
    assert sorted(one["metadata"]["labels"][label] for one in cluster.items(PODS)) == ["0", "1", "2", "3"]


def test_a_finished_job_is_deleted_when_its_time_is_over(cluster: Cluster) -> None:
    begin(cluster, ttlSecondsAfterFinished=60)

    cluster.settle_through(59)
    assert cluster.get(WORK) is not None
    cluster.settle_through(2)

    assert cluster.get(WORK) is None
    assert cluster.items(PODS) == []


@pytest.mark.parametrize("policy", ["Background", "Foreground"])
def test_the_pods_of_a_deleted_job_go_though_nobody_counts_them(by_hand: Cluster, policy: str) -> None:
    begin(by_hand, parallelism=3, completions=3)

    by_hand.delete(WORK, policy)
    by_hand.settle()

    assert by_hand.get(WORK) is None
    assert by_hand.items(PODS) == []


def test_a_namespace_with_a_running_job_goes(by_hand: Cluster) -> None:
    by_hand.create("/api/v1/namespaces", {"metadata": {"name": "team"}})
    by_hand.settle()
    by_hand.create("/apis/batch/v1/namespaces/team/jobs", job(parallelism=2, completions=2))
    by_hand.settle()
    assert len(by_hand.items("/api/v1/namespaces/team/pods")) == 2

    by_hand.delete("/api/v1/namespaces/team")
    by_hand.settle()

    assert by_hand.get("/api/v1/namespaces/team") is None


def test_pods_are_counted_once_whenever_the_controllers_are_restarted(by_hand: Cluster) -> None:
    begin(by_hand, parallelism=4, completions=4)

    for _ in range(4):
        end_pods(by_hand, "Succeeded", 1)
        by_hand.restart_controllers()
        by_hand.settle()

    assert counts(by_hand.read(WORK), "succeeded") == (4,)
    assert len(by_hand.items(PODS)) == 4


def test_a_job_of_another_manager_is_left_alone(cluster: Cluster) -> None:
    begin(cluster, managedBy="example.com/mine")

    assert cluster.items(PODS) == []


def test_a_finished_job_is_quiet(cluster: Cluster) -> None:
    begin(cluster, completions=3)
    before = cluster.revision

    cluster.restart_controllers()
    cluster.settle_through(30)

    assert cluster.revision == before


@pytest.mark.parametrize(
    ("indexes", "text"), [([], ""), ([3], "3"), ([0, 1], "0,1"), ([0, 1, 2, 5, 7, 8], "0-2,5,7,8")]
)
def test_indexes_are_spelled_in_spans(indexes: list[int], text: str) -> None:
    assert spell_indexes(indexes) == text
    assert sorted(parse_indexes(text)) == indexes
