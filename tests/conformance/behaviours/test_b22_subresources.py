"""Scale, eviction, binding, token."""

from typing import Any

import pytest

from tests.conformance.api import JSON_PATCH, Api
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.kinds import deployment, deployments, pod, pods, widget, widgets

pytestmark = [pytest.mark.behaviour("B22"), pytest.mark.usefixtures("service_account")]


def _scaled(api: Api, namespace: str) -> Any:
    api.create(widgets(namespace), widget(replicas=2))
    status = {"replicas": 1, "selector": "app=one"}
    return api.patch(widgets(namespace, "one", "status"), {"status": status}).ok


def test_the_scale_of_a_custom_resource_is_read_by_the_paths_of_its_definition(api: Api, namespace: str) -> None:
    obj = _scaled(api, namespace)

    scale = api.get(widgets(namespace, "one", "scale")).ok

    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    assert scale == {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: obj["metadata"][name] for name in kept},
        "spec": {"replicas": 2},
        "status": {"replicas": 1, "selector": "app=one"},
    }


@pytest.mark.parametrize("how", ["PUT", "merge", "json"])
def test_a_write_of_the_scale_changes_the_object_and_its_generation(api: Api, namespace: str, how: str) -> None:
    _scaled(api, namespace)
    path = widgets(namespace, "one", "scale")
    scale = api.get(path).ok

    if how == "PUT":
        reply = api.put(path, {**scale, "spec": {"replicas": 5}})
    elif how == "merge":
        reply = api.patch(path, {"spec": {"replicas": 5}})
    else:
        reply = api.patch(path, [{"op": "replace", "path": "/spec/replicas", "value": 5}], JSON_PATCH)

    obj = api.get(widgets(namespace, "one")).ok
    assert reply.ok["spec"] == {"replicas": 5}
    assert obj["spec"]["replicas"] == 5
    assert obj["metadata"]["generation"] == 2
    assert reply.ok["metadata"]["resourceVersion"] == obj["metadata"]["resourceVersion"]


def test_a_write_of_the_scale_is_conditional(api: Api, namespace: str) -> None:
    _scaled(api, namespace)
    path = widgets(namespace, "one", "scale")
    stale = api.get(path).ok
    api.patch(path, {"spec": {"replicas": 3}})

    reply = api.put(path, {**stale, "spec": {"replicas": 5}})

    assert (reply.status, reply.reason) == (409, "Conflict")


def test_a_negative_scale_is_invalid(api: Api, namespace: str) -> None:
    _scaled(api, namespace)

    reply = api.patch(widgets(namespace, "one", "scale"), {"spec": {"replicas": -1}})

    problem = ".spec.replicas: Invalid value: -1: should be a non-negative integer"
    assert reply.error == (422, "Invalid", f'Widget.conformance.windlass.dev "one" is invalid: {problem}')


def test_the_scale_of_a_deployment(api: Api, namespace: str) -> None:
    path = deployments(namespace, "one", "scale")
    api.create(deployments(namespace), deployment(replicas=1, paused=True))

    scale = api.patch(path, {"spec": {"replicas": 0}}).ok

    assert scale["spec"] == {}
    assert scale["status"]["selector"] == "app=one"
    assert api.get(deployments(namespace, "one")).ok["spec"]["replicas"] == 0


def test_a_binding_puts_a_pod_on_a_node(api: Api, namespace: str) -> None:
    api.create(pods(namespace), pod(schedulerName="nobody"))
    target = {"apiVersion": "v1", "kind": "Node", "name": "nowhere"}

    reply = api.create(
        pods(namespace, "one", "binding"),
        {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "one"}, "target": target},
    )

    assert (reply.status, reply.document["status"]) == (201, "Success")
    obj = api.get(pods(namespace, "one")).ok
    assert obj["spec"]["nodeName"] == "nowhere"
    assert [(one["type"], one["status"]) for one in obj["status"]["conditions"]] == [("PodScheduled", "True")]


def test_a_pod_is_bound_only_once(api: Api, namespace: str) -> None:
    api.create(pods(namespace), pod(node="nowhere"))
    target = {"apiVersion": "v1", "kind": "Node", "name": "elsewhere"}

    reply = api.create(
        pods(namespace, "one", "binding"),
        {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "one"}, "target": target},
    )

    why = 'pod one is already assigned to node "nowhere"'
    assert reply.error == (409, "Conflict", f'Operation cannot be fulfilled on pods/binding "one": {why}')


def _eviction() -> Any:
    return {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "one"}}


def test_an_eviction_deletes_the_pod(api: Api, namespace: str) -> None:
    api.create(pods(namespace), pod(node="nowhere"))

    reply = api.create(pods(namespace, "one", "eviction"), _eviction())

    assert (reply.status, reply.document["status"]) == (201, "Success")
    assert "deletionTimestamp" in api.get(pods(namespace, "one")).ok["metadata"]


def test_an_eviction_against_a_disruption_budget_has_to_wait(api: Api, namespace: str) -> None:
    obj = pod(node="nowhere")
    obj["metadata"]["labels"] = {"app": "one"}
    api.create(pods(namespace), obj)
    ready = [{"type": "Ready", "status": "True"}]
    api.patch(pods(namespace, "one", "status"), {"status": {"phase": "Running", "conditions": ready}}).check()
    path = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets"
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "one"}}}
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "one"}, "spec": spec}
    api.create(path, budget).check()
    status = {"observedGeneration": 1, "disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1}
    counts = {"expectedPods": 1, "disruptedPods": None}

    def refused() -> Any:
        api.patch(f"{path}/one/status", {"status": {**status, **counts}})
        return api.create(pods(namespace, "one", "eviction"), _eviction())

    # The real server's own controller counts as well, a moment later.
    reply = eventually(refused, lambda one: "does not need" not in one.message and bool(one.causes))

    why = "Cannot evict pod as it would violate the pod's disruption budget."
    assert reply.error == (429, "TooManyRequests", why)
    assert reply.causes == [
        {
            "reason": "DisruptionBudget",
            "message": "The disruption budget one needs 1 healthy pods and has 1 currently",
        }
    ]


def test_a_token_is_made_for_a_service_account(api: Api, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/default"
    eventually(lambda: api.get(path).status, lambda status: status == 200)
    spec = {"audiences": ["somebody"], "expirationSeconds": 600}

    reply = api.create(
        f"{path}/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
    )

    assert reply.status == 201
    assert reply.document["spec"]["audiences"] == ["somebody"]
    assert reply.document["status"]["token"].count(".") == 2
