from typing import Any

import pytest

from framework.apiserver.tables import builtin_table
from framework.apiserver.tables.builtin import _TABLES

_NOW = 1767225600.0


def _cells(group: str, kind: str, obj: dict[str, Any]) -> dict[str, Any]:
    printer = builtin_table(group, kind)
    named = {"metadata": {"name": "it", "creationTimestamp": "2025-12-31T23:55:00Z"}} | obj
    return dict(zip((column.name for column in printer.columns), printer.cells(named, _NOW), strict=True))


@pytest.mark.parametrize(("group", "kind"), [*_TABLES, ("rbac.authorization.k8s.io", "Role")])
def test_every_kind_is_printed_even_if_all_fields_are_missing(group: str, kind: str) -> None:
    printer = builtin_table(group, kind)

    cells = printer.cells({"metadata": {"resourceVersion": "1"}}, _NOW)

    assert len(cells) == len(printer.columns)


def test_kind_without_columns_has_the_time_of_its_creation() -> None:
    assert _cells("apiextensions.k8s.io", "CustomResourceDefinition", {}) == {
        "Name": "it",
        "Created At": "2025-12-31T23:55:00Z",
    }


def test_deployment_shows_ready_of_wanted() -> None:
    deployment = {
        "spec": {"replicas": 3, "selector": {"matchLabels": {"b": "2", "a": "1"}}},
        "status": {"readyReplicas": 2, "updatedReplicas": 1, "availableReplicas": 2},
    }

    cells = _cells("apps", "Deployment", deployment)

    assert (cells["Ready"], cells["Up-to-date"], cells["Available"], cells["Age"]) == ("2/3", 1, 2, "5m")
    assert cells["Selector"] == "a=1,b=2"


@pytest.mark.parametrize(
    ("pod", "status"),
    [
        ({"status": {"phase": "Pending"}}, "Pending"),
        ({"status": {"phase": "Failed", "reason": "Evicted"}}, "Evicted"),
        ({"status": {"containerStatuses": [{"state": {"waiting": {"reason": "ErrImagePull"}}}]}}, "ErrImagePull"),
        ({"status": {"containerStatuses": [{"state": {"terminated": {"signal": 9, "exitCode": 137}}}]}}, "Signal:9"),
        ({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "status": {"phase": "Running"}}, "Terminating"),
        ({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "status": {"phase": "Failed"}}, "Failed"),
        ({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "status": {"reason": "NodeLost"}}, "Unknown"),
        (
            {"status": {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]}},
            "SchedulingGated",
        ),
    ],
)
def test_status_of_a_pod_is_one_word(pod: dict[str, Any], status: str) -> None:
    assert _cells("", "Pod", pod)["Status"] == status


def test_restarts_of_a_pod_tell_the_last_one() -> None:
    ended = {"lastState": {"terminated": {"finishedAt": "2025-12-31T23:59:00Z"}}, "restartCount": 2}
    earlier = {"lastState": {"terminated": {"finishedAt": "2025-12-31T22:59:00Z"}}, "restartCount": 1}

    cells = _cells("", "Pod", {"status": {"containerStatuses": [earlier, ended, {"restartCount": 1}]}})

    assert cells["Restarts"] == "4 (60s ago)"


@pytest.mark.parametrize(
    ("job", "status"),
    [
        ({}, "Running"),
        ({"status": {"conditions": [{"type": "Complete", "status": "True"}]}}, "Complete"),
        ({"status": {"conditions": [{"type": "Complete", "status": "False"}]}}, "Running"),
        ({"status": {"conditions": [{"type": "Suspended", "status": "True"}]}}, "Suspended"),
        ({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}, "Terminating"),
    ],
)
def test_status_of_a_job_is_its_first_true_condition(job: dict[str, Any], status: str) -> None:
    assert _cells("batch", "Job", job)["Status"] == status


def test_duration_of_a_job_ends_with_it() -> None:
    times = {"startTime": "2025-12-31T23:00:00Z", "completionTime": "2025-12-31T23:00:30Z"}

    assert _cells("batch", "Job", {"status": times})["Duration"] == "30s"
    assert _cells("batch", "Job", {"status": {"startTime": "2025-12-31T23:59:30Z"}})["Duration"] == "30s"


def test_selector_that_nobody_can_read_is_an_error() -> None:
    broken = {"matchExpressions": [{"key": "a", "operator": "Near"}]}

    assert _cells("apps", "ReplicaSet", {"spec": {"selector": broken}})["Selector"] == "<error>"
    assert _cells("apps", "Deployment", {"spec": {"selector": broken}})["Selector"] == "<invalid>"


def test_event_is_printed_alike_from_both_groups() -> None:
    core = {"involvedObject": {"kind": "Pod", "name": "p"}, "message": "m", "reportingComponent": "c"}
    newer = {"regarding": {"kind": "Pod", "name": "p"}, "note": "m", "reportingController": "c"}

    assert _cells("", "Event", core) == _cells("events.k8s.io", "Event", newer)
    assert _cells("", "Event", core)["Object"] == "pod/p"
