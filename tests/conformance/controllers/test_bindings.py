"""Binding and eviction of pods that no node runs."""

from typing import Any

from tests.conformance.api import Api
from tests.conformance.behaviours.waiting import eventually

LABELS = {"app": "web"}


def pods(namespace: str, *parts: str) -> str:
    return "/".join((f"/api/v1/namespaces/{namespace}/pods", *parts))


def make_pod(api: Api, namespace: str, name: str = "one", **spec: Any) -> Any:
    account = f"/api/v1/namespaces/{namespace}/serviceaccounts/default"
    eventually(lambda: api.get(account).status, lambda status: status == 200)
    content = {"containers": [{"name": "main", "image": "app"}], **spec}
    return api.create(pods(namespace), {"metadata": {"name": name, "labels": LABELS}, "spec": content}).ok


def bind(api: Api, namespace: str, node: str, name: str = "one", **metadata: Any) -> Any:
    target = {"kind": "Node", "name": node}
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name, **metadata}, "target": target}
    return api.create(pods(namespace, name, "binding"), binding)


def evict(api: Api, namespace: str, name: str = "one", **options: Any) -> Any:
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}, **options}
    return api.create(pods(namespace, name, "eviction"), eviction)


def run(api: Api, namespace: str, name: str = "one") -> None:
    ready = {"type": "Ready", "status": "True"}
    status = {"phase": "Running", "conditions": [ready]}
    assert api.patch(pods(namespace, name, "status"), {"status": status}).status == 200


def conditions(pod: Any) -> dict[str, tuple[str, str, str]]:
    found = pod["status"].get("conditions") or ()
    return {one["type"]: (one["status"], one.get("reason", ""), one.get("message", "")) for one in found}


def test_a_binding_puts_a_pod_on_a_node_once(api: Api, namespace: str) -> None:
    made = make_pod(api, namespace)

    reply = bind(api, namespace, "somewhere", annotations={"example.com/why": "test"})

    assert reply.status == 201
    assert reply.document == {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    bound = api.get(pods(namespace, "one")).ok
    assert bound["spec"]["nodeName"] == "somewhere"
    assert bound["metadata"]["annotations"] == {"example.com/why": "test"}
    assert bound["metadata"]["generation"] == made["metadata"]["generation"]
    assert bound["metadata"]["managedFields"] == made["metadata"]["managedFields"]
    assert conditions(bound)["PodScheduled"] == ("True", "", "")
    assert bind(api, namespace, "elsewhere").error == (
        409,
        "Conflict",
        'Operation cannot be fulfilled on pods/binding "one": pod one is already assigned to node "somewhere"',
    )


def test_a_binding_that_cannot_be_is_refused(api: Api, namespace: str) -> None:
    make_pod(api, namespace)
    make_pod(api, namespace, "gated", schedulingGates=[{"name": "example.com/gate"}])

    assert bind(api, namespace, "somewhere", "nobody").error == (404, "NotFound", 'pods "nobody" not found')
    assert bind(api, namespace, "somewhere", "gated").error == (
        409,
        "Conflict",
        'Operation cannot be fulfilled on pods/binding "gated": pod gated has non-empty .spec.schedulingGates',
    )
    assert bind(api, namespace, "").error == (500, "", "target.name: Required value")
    mismatch = api.create(pods(namespace, "one", "binding"), {"metadata": {"name": "x"}, "target": {"name": "n"}})
    assert mismatch.error == (400, "BadRequest", "name in URL does not match name in Binding object")
    stale = bind(api, namespace, "somewhere", uid="another")
    assert (stale.status, stale.reason) == (409, "Conflict")


def test_an_eviction_is_a_graceful_deletion_that_says_why(api: Api, namespace: str) -> None:
    make_pod(api, namespace, nodeName="somewhere", terminationGracePeriodSeconds=7)
    run(api, namespace)

    reply = evict(api, namespace)

    assert reply.status == 201
    assert reply.document == {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    evicted = api.get(pods(namespace, "one")).ok
    assert evicted["metadata"]["deletionGracePeriodSeconds"] == 7
    assert conditions(evicted)["DisruptionTarget"] == ("True", "EvictionByEvictionAPI", "Eviction API: evicting")
    api.delete(pods(namespace, "one"), {"gracePeriodSeconds": 0})


def test_a_pod_that_waits_for_a_node_goes_at_once_when_evicted(api: Api, namespace: str) -> None:
    make_pod(api, namespace)

    assert evict(api, namespace).status == 201

    assert api.get(pods(namespace, "one")).status == 404


def test_a_budget_without_disruptions_left_refuses(api: Api, namespace: str) -> None:
    make_pod(api, namespace, nodeName="somewhere")
    run(api, namespace)
    budgets = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets"
    spec = {"minAvailable": 1, "selector": {"matchLabels": LABELS}}
    made = api.create(budgets, {"metadata": {"name": "web"}, "spec": spec}).ok
    status = {
        "observedGeneration": made["metadata"]["generation"],
        "disruptionsAllowed": 0,
        "currentHealthy": 1,
        "desiredHealthy": 1,
        "expectedPods": 1,
    }
    # Of the real one the controller may have been faster.
    path = f"{budgets}/web"
    api.patch(f"{path}/status", {"status": status})
    eventually(lambda: api.get(path).ok["status"], lambda found: found.get("currentHealthy") == 1)

    reply = evict(api, namespace)

    assert reply.error == (
        429,
        "TooManyRequests",
        "Cannot evict pod as it would violate the pod's disruption budget.",
    )
    assert reply.causes == [
        {
            "reason": "DisruptionBudget",
            "message": "The disruption budget web needs 1 healthy pods and has 1 currently",
        }
    ]
    api.delete(pods(namespace, "one"), {"gracePeriodSeconds": 0})
