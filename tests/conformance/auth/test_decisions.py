"""Decisions and refusals of RBAC, as the real server has them."""

from typing import Any

from framework.apiserver.auth import Attributes, bootstrap_roles, forbidden
from framework.apiserver.status import status_document
from tests.conformance.auth.cluster import KINDS, RBAC, a_user, refusal
from tests.conformance.auth.conftest import Stage

# Who, which verb, which resource with its group, where, which object.
QUESTIONS = [
    ("alice", "get", "pods", "here", ""),
    ("alice", "get", "pods", "here", "x"),
    ("alice", "list", "pods", "here", ""),
    ("alice", "delete", "pods", "here", "x"),
    ("alice", "list", "pods", "there", ""),
    ("alice", "list", "pods", "ruin", ""),
    ("alice", "list", "pods", "", ""),
    ("alice", "get", "pods/log", "here", "x"),
    ("alice", "get", "pods/exec", "here", "x"),
    ("alice", "get", "configmaps", "here", "one"),
    ("alice", "get", "configmaps", "here", "three"),
    ("alice", "get", "configmaps", "here", ""),
    ("alice", "list", "configmaps", "here", ""),
    ("alice", "update", "configmaps", "here", "two"),
    ("alice", "get", "deployments.apps/scale", "here", "web"),
    ("alice", "patch", "statefulsets.apps/scale", "here", "db"),
    ("alice", "get", "deployments.apps", "here", "web"),
    ("alice", "get", "replicationcontrollers/scale", "here", "x"),
    ("alice", "create", "jobs.batch", "here", ""),
    ("alice", "approve", "jobs.batch", "here", "x"),
    ("alice", "create", "cronjobs.batch", "here", ""),
    ("alice", "get", "jobs.batch/status", "here", "x"),
    ("alice", "list", "nodes", "", ""),
    ("alice", "list", "nodes", "here", ""),
    ("alice", "get", "nodes", "", "n"),
    ("alice", "get", "leases.coordination.k8s.io", "there", "l"),
    ("alice", "get", "leases.example.com", "", "l"),
    ("alice", "get", "configmaps", "there", "any"),
    ("alice", "get", "secrets", "there", "any"),
    ("alice", "watch", "events.events.k8s.io", "there", ""),
    ("alice", "create", "pods", "there", ""),
    ("bob", "create", "pods", "there", ""),
    ("bob", "deletecollection", "configmaps", "there", ""),
    ("bob", "get", "secrets", "there", "s"),
    ("bob", "impersonate", "serviceaccounts", "there", "robot"),
    ("bob", "create", "serviceaccounts/token", "there", "robot"),
    ("bob", "create", "roles.rbac.authorization.k8s.io", "there", ""),
    ("bob", "list", "pods", "ruin", ""),
    ("bob", "list", "pods", "here", ""),
    ("bob", "create", "selfsubjectaccessreviews.authorization.k8s.io", "", ""),
    ("bob", "create", "tokenreviews.authentication.k8s.io", "", ""),
    ("bob", "*", "*.*", "there", ""),
]
PATHS = [
    ("alice", "get", "/metrics"),
    ("alice", "get", "/metrics/slis"),
    ("alice", "get", "/logs/kubelet"),
    ("alice", "get", "/logs"),
    ("bob", "get", "/metrics"),
    ("bob", "get", "/api"),
    ("bob", "get", "/apis/apps/v1"),
    ("bob", "post", "/api"),
    ("bob", "get", "/openapi/v3/apis"),
    ("bob", "get", "/healthz/etcd"),
]
# Requests that are refused, with what the real server makes of them.
REQUESTS: list[tuple[str, str, str, dict[str, str]]] = [
    ("alice", "GET", "/api/v1/namespaces/{ruin}/pods", {"verb": "list", "resource": "pods", "namespace": "{ruin}"}),
    ("alice", "GET", "/api/v1/pods", {"verb": "list", "resource": "pods"}),
    ("alice", "GET", "/api/v1/pods?watch=1", {"verb": "watch", "resource": "pods"}),
    ("alice", "GET", "/api/v1/nodes/n", {"verb": "get", "resource": "nodes", "name": "n"}),
    (
        "alice",
        "DELETE",
        "/api/v1/namespaces/{here}/pods/x",
        {"verb": "delete", "resource": "pods", "namespace": "{here}", "name": "x"},
    ),
    (
        "alice",
        "DELETE",
        "/api/v1/namespaces/{here}/pods",
        {"verb": "deletecollection", "resource": "pods", "namespace": "{here}"},
    ),
    (
        "alice",
        "GET",
        "/apis/apps/v1/namespaces/{here}/deployments/web",
        {"verb": "get", "group": "apps", "resource": "deployments", "namespace": "{here}", "name": "web"},
    ),
    (
        "bob",
        "GET",
        "/apis/apps/v1/namespaces/{ruin}/deployments/web/scale",
        {
            "verb": "get",
            "group": "apps",
            "resource": "deployments",
            "subresource": "scale",
            "namespace": "{ruin}",
            "name": "web",
        },
    ),
    (
        "bob",
        "GET",
        "/api/v1/namespaces/{here}",
        {"verb": "get", "resource": "namespaces", "namespace": "{here}", "name": "{here}"},
    ),
    ("bob", "GET", "/metrics", {"verb": "get", "path": "/metrics"}),
    ("bob", "POST", "/api/v1/namespaces", {"verb": "create", "resource": "namespaces"}),
]


def test_decisions_and_their_reasons_are_the_same(stage: Stage) -> None:
    ours = stage.cluster.authorizer()

    differing = []
    for attributes in [*(_question(stage, each) for each in QUESTIONS), *(_path(*each) for each in PATHS)]:
        real = stage.cluster.is_allowed(attributes.user.name, attributes)
        decision = ours.authorize(attributes)
        if (real["allowed"], _sorted(real.get("reason", ""))) != (decision.allowed, _sorted(decision.reason)):
            differing.append((attributes, real, decision))

    assert differing == []


def test_refused_requests_have_the_same_status(stage: Stage) -> None:
    ours = stage.cluster.authorizer()

    for name, method, path, wanted in REQUESTS:
        attributes = Attributes(user=a_user(name), **{field: _filled(stage, text) for field, text in wanted.items()})
        reply = stage.cluster.user(name).request(method, _filled(stage, path), {} if method == "POST" else None)
        document = status_document(forbidden(attributes, ours.authorize(attributes).reason))
        real = refusal(reply)
        assert _sorted(real.pop("message")) == _sorted(document["message"])
        assert real == {field: document.get(field) for field in real}


def test_the_rules_that_a_cluster_starts_with_are_the_same(stage: Stage) -> None:
    real = {
        (kind, item["metadata"]["name"]): item
        for plural, kind in KINDS.items()
        for item in stage.cluster.admin.get(f"{RBAC}/{plural}").document["items"]
    }

    for obj in bootstrap_roles():
        item = real[obj["kind"], obj["metadata"]["name"]]
        assert obj["metadata"] == {field: item["metadata"][field] for field in obj["metadata"]}
        for field in ("rules", "aggregationRule", "roleRef", "subjects"):
            assert obj.get(field) == item.get(field), obj["metadata"]["name"]


def test_what_a_user_may_do_is_listed_the_same(stage: Stage) -> None:
    review = {"kind": "SelfSubjectRulesReview", "apiVersion": "authorization.k8s.io/v1"}

    for name, namespace in (("alice", stage.here), ("alice", stage.there), ("bob", stage.ruin)):
        reply = stage.cluster.user(name).create(
            "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {**review, "spec": {"namespace": namespace}}
        )
        real = reply.document["status"]
        ours = stage.cluster.authorizer().rules_for(a_user(name), namespace)
        rules = [*real["resourceRules"], *real["nonResourceRules"]]
        assert sorted(map(_spelled, rules)) == sorted(_spelled(_document(rule)) for rule in ours.rules)
        assert _sorted(real.get("evaluationError", "")) == _sorted(", ".join(ours.errors))


def _question(stage: Stage, question: tuple[str, str, str, str, str]) -> Attributes:
    name, verb, what, where, which = question
    resource, _, subresource = what.partition("/")
    plural, _, group = resource.partition(".")
    namespace = getattr(stage, where) if where else ""
    return Attributes(
        user=a_user(name),
        verb=verb,
        group=group,
        resource=plural,
        subresource=subresource,
        namespace=namespace,
        name=which,
    )


def _path(name: str, verb: str, path: str) -> Attributes:
    return Attributes(user=a_user(name), verb=verb, path=path)


def _filled(stage: Stage, text: str) -> str:
    return text.format(here=stage.here, there=stage.there, ruin=stage.ruin)


def _sorted(text: str) -> list[str]:
    # The real server goes through bindings in any order.
    return sorted(text.replace("[", "").replace("]", "").replace(": RBAC: ", ", ").split(", "))


def _document(rule: Any) -> Any:
    fields = {
        "verbs": rule.verbs,
        "apiGroups": rule.api_groups,
        "resources": rule.resources,
        "resourceNames": rule.resource_names,
        "nonResourceURLs": rule.non_resource_urls,
    }
    return {field: list(values) for field, values in fields.items() if values}


def _spelled(rule: Any) -> str:
    return str(sorted(rule.items()))
