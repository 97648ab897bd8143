"""Who may do what, and how the server says no."""

from contextlib import closing
from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.kinds import GROUP, config_map, config_maps, widgets

pytestmark = pytest.mark.behaviour("B44")
ALICE = {"Impersonate-User": "alice"}
RBAC = "/apis/rbac.authorization.k8s.io/v1"
AUTHORIZATION = "/apis/authorization.k8s.io/v1"


def _grant(api: Api, namespace: str, *rules: Any) -> None:
    role = {"metadata": {"name": "some"}, "rules": list(rules)}
    api.create(f"{RBAC}/namespaces/{namespace}/roles", role).check()
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "alice"}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "some"}
    binding = {"metadata": {"name": "some"}, "subjects": [subject], "roleRef": reference}
    api.create(f"{RBAC}/namespaces/{namespace}/rolebindings", binding).check()


@pytest.mark.parametrize(
    ("method", "path", "what", "verb", "resource", "group"),
    [
        ("GET", "/api/v1/namespaces/{}/configmaps/one", 'configmaps "one"', "get", "configmaps", ""),
        ("GET", "/api/v1/namespaces/{}/pods/one/status", 'pods "one"', "get", "pods/status", ""),
        ("GET", "/api/v1/namespaces/{}", 'namespaces "{}"', "get", "namespaces", ""),
        ("GET", "/apis/{group}/v1/namespaces/{}/widgets?watch=1", "widgets.{group}", "watch", "widgets", "{group}"),
        (
            "DELETE",
            "/apis/apps/v1/namespaces/{}/deployments",
            "deployments.apps",
            "deletecollection",
            "deployments",
            "apps",
        ),
    ],
    ids=["get", "subresource", "namespace", "watch", "deletecollection"],
)
def test_a_refusal_names_user_verb_and_resource(
    api: Api, namespace: str, *, method: str, path: str, what: str, verb: str, resource: str, group: str
) -> None:
    told = f'User "alice" cannot {verb} resource "{resource}" in API group "{group}" in the namespace "{{}}"'

    reply = api.request(method, _filled(path, namespace), headers=ALICE)

    assert reply.error == (403, "Forbidden", _filled(f"{what} is forbidden: {told}", namespace))


def _filled(text: str, namespace: str) -> str:
    return text.replace("{group}", GROUP).replace("{}", namespace)


def test_a_refusal_for_the_whole_cluster_says_so(api: Api) -> None:
    reply = api.get("/api/v1/nodes", headers=ALICE)

    why = 'User "alice" cannot list resource "nodes" in API group "" at the cluster scope'
    assert reply.error == (403, "Forbidden", f"nodes is forbidden: {why}")


def test_a_refusal_of_a_path_names_it(api: Api) -> None:
    reply = api.get("/metrics", headers=ALICE)

    assert reply.error == (403, "Forbidden", 'forbidden: User "alice" cannot get path "/metrics"')


def test_a_role_allows_what_it_says_and_no_more(api: Api, namespace: str) -> None:
    _grant(api, namespace, {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "create"]})

    created = eventually(
        lambda: api.create(config_maps(namespace), config_map(), headers=ALICE), lambda reply: reply.status == 201
    )

    assert created.status == 201
    assert api.get(config_maps(namespace, "one"), headers=ALICE).status == 200
    assert api.get(config_maps(namespace), headers=ALICE).status == 403
    assert api.delete(config_maps(namespace, "one"), headers=ALICE).status == 403
    assert api.get(widgets(namespace), headers=ALICE).status == 403


def test_a_role_can_name_single_objects_and_subresources(api: Api, namespace: str) -> None:
    api.create(config_maps(namespace), config_map())
    _grant(
        api,
        namespace,
        {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["one"], "verbs": ["get"]},
        {"apiGroups": [GROUP], "resources": ["widgets/status"], "verbs": ["patch"]},
    )
    eventually(lambda: api.get(config_maps(namespace, "one"), headers=ALICE).status, lambda status: status == 200)

    other = api.get(config_maps(namespace, "two"), headers=ALICE)
    status = api.patch(widgets(namespace, "one", "status"), {}, headers=ALICE)
    whole = api.patch(widgets(namespace, "one"), {}, headers=ALICE)

    assert (other.status, status.status, whole.status) == (403, 404, 403)


def test_a_list_or_watch_of_one_name_is_about_that_object(api: Api, namespace: str) -> None:
    api.create(config_maps(namespace), config_map())
    rule = {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["one"], "verbs": ["list", "watch"]}
    _grant(api, namespace, rule)

    def listed(selector: str, **query: str) -> Any:
        more = "".join(f"&{name}={value}" for name, value in query.items())
        return api.get(f"{config_maps(namespace)}?fieldSelector={selector}{more}", headers=ALICE)

    eventually(lambda: listed("metadata.name%3Done").status, lambda status: status == 200)

    found = listed("metadata.name%3Done")
    watched = listed("metadata.name%3D%3Done", watch="true", timeoutSeconds="1")
    refused = [listed(each) for each in ("metadata.name%3Dtwo", "metadata.name%21%3Dtwo", "", "metadata.name%3Dx/y")]
    assert [each["metadata"]["name"] for each in found.ok["items"]] == ["one"]
    assert watched.status == 200
    assert [reply.status for reply in refused] == [403] * 4
    who = f'User "alice" cannot list resource "configmaps" in API group "" in the namespace "{namespace}"'
    assert refused[0].error == (403, "Forbidden", f'configmaps "two" is forbidden: {who}')
    assert refused[2].error == (403, "Forbidden", f"configmaps is forbidden: {who}")


def _review(api: Api, attributes: Any, **headers: Any) -> Any:
    body = {"spec": {"resourceAttributes": attributes}}
    return api.create(f"{AUTHORIZATION}/selfsubjectaccessreviews", body, **headers).ok["status"]


def test_anybody_can_ask_what_they_may(api: Api, namespace: str) -> None:
    _grant(api, namespace, {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]})
    wanted = {"verb": "get", "resource": "configmaps", "namespace": namespace}

    allowed = eventually(lambda: _review(api, wanted, headers=ALICE), lambda status: bool(status["allowed"]))
    refused = _review(api, {**wanted, "verb": "list"}, headers=ALICE)

    why = f'RBAC: allowed by RoleBinding "some/{namespace}" of Role "some" to User "alice"'
    assert allowed == {"allowed": True, "reason": why}
    assert refused == {"allowed": False}


def test_an_administrator_can_ask_for_others(api: Api, namespace: str) -> None:
    attributes = {"verb": "get", "resource": "configmaps", "namespace": namespace}

    def asked(**who: Any) -> Any:
        body = {"spec": {"resourceAttributes": attributes, **who}}
        return api.create(f"{AUTHORIZATION}/subjectaccessreviews", body).ok["status"]["allowed"]

    assert asked(user="alice") is False
    assert asked(user="alice", groups=["system:masters"]) is True


def test_the_token_of_a_service_account_is_known(api: Api, namespace: str) -> None:
    account = f"/api/v1/namespaces/{namespace}/serviceaccounts/default"
    eventually(lambda: api.get(account).status, lambda status: status == 200)
    token = api.create(f"{account}/token", {"spec": {}}).ok["status"]["token"]

    reviews = "/apis/authentication.k8s.io/v1/tokenreviews"
    known = api.create(reviews, {"spec": {"token": token}}).ok["status"]
    unknown = api.create(reviews, {"spec": {"token": "nonsense"}}).ok["status"]

    assert known["authenticated"] is True
    assert known["user"]["username"] == f"system:serviceaccount:{namespace}:default"
    assert f"system:serviceaccounts:{namespace}" in known["user"]["groups"]
    assert "authenticated" not in unknown or unknown["authenticated"] is False
    assert unknown["error"]


def test_nobody_gives_rights_that_they_do_not_have(api: Api, namespace: str) -> None:
    rule = {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"], "verbs": ["create"]}
    _grant(api, namespace, rule)
    wanted = {"metadata": {"name": "more"}, "rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]}

    reply = eventually(
        lambda: api.create(f"{RBAC}/namespaces/{namespace}/roles", wanted, headers=ALICE),
        lambda reply: "cannot create resource" not in reply.message,
    )

    assert (reply.status, reply.reason) == (403, "Forbidden")
    assert "is attempting to grant RBAC permissions not currently held" in reply.message


def test_a_token_that_nobody_knows_is_unauthorized(api: Api, namespace: str) -> None:
    with closing(api.anonymous()) as stranger:
        reply = stranger.get(config_maps(namespace), headers={"Authorization": "Bearer nonsense"})

    assert reply.error == (401, "Unauthorized", "Unauthorized")


def test_who_brings_nothing_is_anonymous(api: Api, namespace: str) -> None:
    with closing(api.anonymous()) as stranger:
        reply = stranger.get(config_maps(namespace))

    assert reply.status == 403
    assert reply.message.startswith('configmaps is forbidden: User "system:anonymous" cannot list resource')
