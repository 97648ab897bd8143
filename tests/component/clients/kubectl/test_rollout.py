"""Deployments that really roll, and Jobs that end."""

import json
from typing import Any

from tests.component.program import Program


def pods(kubectl: Program) -> list[Any]:
    """Those that are to stay."""
    found = json.loads(kubectl("get", "pods", "-l", "app=web", "-o", "json"))["items"]
    return [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]


def images(kubectl: Program) -> set[str]:
    return {container["image"] for pod in pods(kubectl) for container in pod["spec"]["containers"]}


def names(kubectl: Program) -> set[str]:
    return {pod["metadata"]["name"] for pod in pods(kubectl)}


def test_deployment_is_rolled_out_and_back(kubectl: Program) -> None:
    kubectl("create", "deployment", "web", "--image=registry.example/web:1", "--replicas=2")
    first = kubectl("rollout", "status", "deploy/web", "--timeout=20s")

    kubectl("set", "image", "deploy/web", "web=registry.example/web:2")
    kubectl("rollout", "status", "deploy/web", "--timeout=20s")
    second = images(kubectl)
    history = kubectl("rollout", "history", "deploy/web")
    kubectl("rollout", "undo", "deploy/web")
    kubectl("rollout", "status", "deploy/web", "--timeout=20s")

    assert 'deployment "web" successfully rolled out' in first
    assert second == {"registry.example/web:2"}
    assert [line.split()[0] for line in history.splitlines()[2:] if line] == ["1", "2"]
    assert images(kubectl) == {"registry.example/web:1"}


def test_deployment_is_restarted_paused_and_resumed(kubectl: Program) -> None:
    kubectl("create", "deployment", "web", "--image=registry.example/web:1")
    kubectl("rollout", "status", "deploy/web", "--timeout=20s")
    before = names(kubectl)

    kubectl("rollout", "restart", "deploy/web")
    kubectl("rollout", "status", "deploy/web", "--timeout=20s")
    after = names(kubectl)
    kubectl("rollout", "pause", "deploy/web")
    paused = kubectl("get", "deploy/web", "-o", "jsonpath={.spec.paused}")
    kubectl("rollout", "resume", "deploy/web")

    assert (len(before), len(after), before & after) == (1, 1, set())
    assert paused == "true"


def test_pods_of_a_deployment_become_ready_and_are_described(kubectl: Program) -> None:
    kubectl("create", "deployment", "web", "--image=registry.example/web:1", "--replicas=2")

    kubectl("wait", "deploy/web", "--for=condition=Available", "--timeout=20s")

    kubectl("wait", "pods", "-l", "app=web", "--for=condition=Ready", "--timeout=20s")
    assert "2 desired | 2 updated | 2 total | 2 available | 0 unavailable" in kubectl("describe", "deploy/web")
    _header, row = kubectl("get", "deploy/web").splitlines()
    assert row.split()[:4] == ["web", "2/2", "2", "2"]
    assert "Available" in kubectl("get", "deploy/web", "-o", "jsonpath={.status.conditions[*].type}")


def test_scaled_deployment_has_as_many_pods(kubectl: Program) -> None:
    kubectl("create", "deployment", "web", "--image=registry.example/web:1", "--replicas=3")
    kubectl("rollout", "status", "deploy/web", "--timeout=20s")

    kubectl("scale", "deploy/web", "--replicas=1", "--timeout=20s")

    kubectl("wait", "deploy/web", "--for=jsonpath={.status.replicas}=1", "--timeout=20s")


def test_job_is_completed(kubectl: Program) -> None:
    kubectl("create", "job", "once", "--image=registry.example/once:1")

    kubectl("wait", "job/once", "--for=condition=Complete", "--timeout=20s")

    assert kubectl("get", "job/once", "-o", "jsonpath={.status.succeeded}") == "1"


def test_pods_go_with_their_deployment(kubectl: Program) -> None:
    kubectl("create", "deployment", "web", "--image=registry.example/web:1")
    kubectl("rollout", "status", "deploy/web", "--timeout=20s")

    kubectl("delete", "deploy/web", "--cascade=foreground")

    kubectl("wait", "pods,rs", "-l", "app=web", "--for=delete", "--timeout=20s")
