"""Entries of built-in kinds, whose objects the real server keeps as Go structs: what is absent there is not nothing.

Our field manager gets the objects as the real server answers them, so that its defaults are on both sides.
"""

import copy
import json
import uuid
from typing import Any

import pytest

from framework.apiserver.managedfields import SchemaFieldManager, keep_times_if_unchanged, schema_from_json
from framework.apiserver.objects import Object
from framework.apiserver.resource import Manager
from framework.apiserver.status import status_document
from framework.errors import ApiError
from tests.conformance.patch.real_server import RealServer

_EARLY = "2000-01-01T00:00:00Z"
_POD_SPEC: dict[str, Any] = {
    "containers": [
        {
            "name": "web",
            "image": "nginx",
            "ports": [{"containerPort": 80}, {"containerPort": 9, "protocol": "UDP", "name": "nine"}],
            "env": [
                {"name": "A", "value": "1"},
                {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
            ],
            "resources": {"limits": {"cpu": "1"}},
            "volumeMounts": [{"name": "v", "mountPath": "/v"}],
        },
        {"name": "side", "image": "busybox", "command": ["sleep", "1"]},
    ],
    "volumes": [{"name": "v", "emptyDir": {}}],
    "tolerations": [{"key": "a", "operator": "Exists"}],
    "imagePullSecrets": [{"name": "s"}],
    "nodeSelector": {"a": "b"},
}


def _containers(*containers: Object) -> Object:
    return {"template": {"spec": {"containers": list(containers)}}}


_CONFIG_MAP: Object = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "1", "b": "2"}, "immutable": False}
_POD_TEMPLATE: Object = {
    "apiVersion": "v1",
    "kind": "PodTemplate",
    "template": {"metadata": {"labels": {"a": "b"}}, "spec": _POD_SPEC},
}
_SERVICE: Object = {
    "apiVersion": "v1",
    "kind": "Service",
    "spec": {
        "type": "ClusterIP",
        "selector": {"a": "b"},
        "ports": [{"port": 80, "name": "a", "targetPort": "web"}, {"port": 80, "protocol": "UDP", "name": "b"}],
    },
}
_DEPLOYMENT: Object = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "spec": {
        "selector": {"matchLabels": {"a": "b"}},
        "strategy": {"rollingUpdate": {"maxSurge": 1}},
        "template": {"metadata": {"labels": {"a": "b"}, "creationTimestamp": None}, "spec": _POD_SPEC},
    },
    "status": {},
}
_ROLE: Object = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "Role",
    "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
}
_KINDS: dict[str, tuple[str, str, str, dict[str, list[tuple[str, ...]]]]] = {
    "ConfigMap": ("api/v1", "configmaps", "io.k8s.api.core.v1.ConfigMap", {}),
    "PodTemplate": ("api/v1", "podtemplates", "io.k8s.api.core.v1.PodTemplate", {}),
    "Service": ("api/v1", "services", "io.k8s.api.core.v1.Service", {"": [("status",)]}),
    "Deployment": ("apis/apps/v1", "deployments", "io.k8s.api.apps.v1.Deployment", {"": [("status",)]}),
    "Role": ("apis/rbac.authorization.k8s.io/v1", "roles", "io.k8s.api.rbac.v1.Role", {}),
}
_TYPES = {
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


# Set when the object is stored, after its managers are known.
_ALLOCATED = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
_POD_TEMPLATE_PATCHES: list[tuple[str, Object, str, bool]] = [
    ("strategic", _containers({"name": "web", "image": "other"}), "two", False),
    ("strategic", _containers({"name": "new", "image": "new"}), "two", False),
    ("merge", {"template": {"metadata": {"annotations": {"x": "y"}}, "spec": {"tolerations": None}}}, "creator", False),
    ("apply", _containers({"name": "web", "image": "third"}), "three", False),
    ("apply", _containers({"name": "web", "image": "third"}), "three", True),
    ("apply", _containers({"name": "web", "image": "third", "env": [{"name": "C"}]}), "three", True),
    ("apply", _containers({"name": "web", "image": "third", "ports": [{"containerPort": 80}]}), "three", True),
    ("apply", _containers({"name": "web", "resources": {"limits": {"cpu": 2}}}), "four", True),
    ("apply", _containers({"name": "last", "image": "x"}, {"name": "web", "image": "third"}), "three", True),
    ("apply", _containers({"name": "web", "image": "third"}), "three", True),
    ("apply", {"template": {"spec": {"nodeSelector": {"a": "c"}, "tolerations": []}}}, "four", False),
    ("apply", {"template": {"spec": {"nonsense": 1}}}, "three", False),
    ("apply", {}, "four", False),
    ("merge", {"metadata": {"managedFields": []}}, "two", False),
    ("strategic", {"template": {"spec": {"hostNetwork": True}}}, "two", False),
    ("apply", {"template": {"spec": {"hostNetwork": True}}}, "two", False),
]


class _Kind:
    def __init__(self, server: RealServer, namespace: str, kind: str) -> None:
        group, plural, definition, resets = _KINDS[kind]
        self._server = server
        self._collection = f"/{group}/namespaces/{namespace}/{plural}"
        self._api_version = group.partition("/")[2]
        definitions = server.ask("GET", f"/openapi/v3/{group}").document["components"]["schemas"]
        schema = schema_from_json(definitions[definition], definitions)
        self._field_manager = SchemaFieldManager(schema, api_version=self._api_version, reset_fields=resets)

    def create(self, obj: Object, *, is_dry: bool = False) -> tuple[Object, Object]:
        query = "?fieldManager=creator" + ("&dryRun=All" if is_dry else "")
        real = self._server.make(self._collection + query, obj)
        ours = _without_entries(real)
        for name in _ALLOCATED:
            ours.get("spec", {}).pop(name, None)
        self._field_manager.update(None, ours, Manager("creator", self._api_version), _last_time(real))
        return real, ours

    def patch(self, kind: str, patch: Object, manager: str, *, force: bool = False) -> tuple[Object, Object]:
        path = f"{self._collection}/{patch['metadata']['name']}"
        live = self._server.ask("GET", path).document
        query = f"?fieldManager={manager}" + ("&force=true" if force else "")
        real = self._server.ask("PATCH", path + query, patch, headers={"Content-Type": _TYPES[kind]}).document
        writer = Manager(manager, self._api_version)
        try:
            if kind == "apply":
                merged = self._field_manager.apply(live, patch, writer, _last_time(real), force=force)
                ours = {**_without_entries(real), "metadata": {**real["metadata"]}}
                ours["metadata"]["managedFields"] = merged["metadata"]["managedFields"]
                keep_times_if_unchanged(ours, live)
            else:
                ours = _without_entries(real)
                ours["metadata"]["managedFields"] = (live | patch)["metadata"].get("managedFields")
                self._field_manager.update(live, ours, writer, _last_time(real))
        except ApiError as error:
            ours = status_document(error)
        return real, ours

    def apply_new(self, obj: Object, *, is_dry: bool = False) -> tuple[Object, Object]:
        path = f"{self._collection}/{obj['metadata']['name']}?fieldManager=applier" + ("&dryRun=All" if is_dry else "")
        real = self._server.ask("PATCH", path, obj, headers={"Content-Type": _TYPES["apply"]}).document
        now = _last_time(real)
        merged = self._field_manager.apply(None, obj, Manager("applier", self._api_version), now, force=False)
        return real, {**real, "metadata": {**real["metadata"], "managedFields": merged["metadata"]["managedFields"]}}


def _without_entries(obj: Object) -> Object:
    result = copy.deepcopy(obj)
    result["metadata"].pop("managedFields", None)
    return result


def _last_time(obj: Object) -> str:
    entries = obj["metadata"].get("managedFields") or ()
    return max((entry.get("time", _EARLY) for entry in entries), default=_EARLY)


def _entries(obj: Object) -> list[str]:
    """As texts: the order of elements counts too."""
    return [json.dumps(entry) for entry in obj["metadata"].get("managedFields", ())]


def _named(obj: Object, **metadata: Any) -> Object:
    return {**obj, "metadata": {"name": f"it-{uuid.uuid4().hex[:8]}", **metadata}}


_ALL = (_CONFIG_MAP, _POD_TEMPLATE, _SERVICE, _DEPLOYMENT, _ROLE)


@pytest.mark.parametrize("obj", _ALL, ids=lambda obj: obj["kind"])
def test_a_create_owns_what_is_set_and_what_is_defaulted(
    server: RealServer, namespace_of_things: str, obj: Object
) -> None:
    kind = _Kind(server, namespace_of_things, obj["kind"])

    real, ours = kind.create(_named(obj, labels={"a": "1"}), is_dry=True)

    assert _entries(ours) == _entries(real)


@pytest.mark.parametrize("obj", _ALL, ids=lambda obj: obj["kind"])
def test_an_apply_that_creates_owns_what_it_names(server: RealServer, namespace_of_things: str, obj: Object) -> None:
    kind = _Kind(server, namespace_of_things, obj["kind"])

    real, ours = kind.apply_new(_named(obj, labels={"a": "1"}), is_dry=True)

    assert _entries(ours) == _entries(real)


def test_patches_of_a_pod_template(server: RealServer, namespace_of_things: str) -> None:
    kind = _Kind(server, namespace_of_things, "PodTemplate")
    named = _named(_POD_TEMPLATE, labels={"a": "1"})
    kind.create(named)
    for patch_type, patch, manager, force in _POD_TEMPLATE_PATCHES:
        metadata = {"name": named["metadata"]["name"], **patch.get("metadata", {})}
        full = {"apiVersion": "v1", "kind": "PodTemplate", **patch, "metadata": metadata}
        real, ours = kind.patch(patch_type, full, manager, force=force)

        if real["kind"] == "Status":
            assert ours == real, patch
        else:
            assert _entries(ours) == _entries(real), patch


def test_kubectl_takes_over_from_client_side_apply(server: RealServer, namespace_of_things: str) -> None:
    kind = _Kind(server, namespace_of_things, "ConfigMap")
    applied = {**_CONFIG_MAP, "metadata": {"name": f"it-{uuid.uuid4().hex[:8]}", "namespace": namespace_of_things}}
    annotation = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(applied)}
    kind.create({**applied, "metadata": {**applied["metadata"], "annotations": annotation}})
    kind.patch("merge", {**applied, "data": {"b": "changed"}}, "two")

    refused, our_refusal = kind.patch("apply", {**applied, "data": {"a": "9", "b": "9"}}, "kubectl")
    taken, ours = kind.patch("apply", {**applied, "data": {"a": "<9>"}}, "kubectl")

    assert refused["kind"] == "Status"
    assert our_refusal == refused
    assert ours == taken


def test_the_eleventh_updater_makes_the_oldest_ancient(server: RealServer, namespace_of_things: str) -> None:
    kind = _Kind(server, namespace_of_things, "ConfigMap")
    named = _named(_CONFIG_MAP)
    kind.create(named)

    for number in range(13):
        patch = {"metadata": named["metadata"], "data": {f"k{number}": "x"}}
        real, ours = kind.patch("merge", patch, f"manager-{number}")

        assert _entries(ours) == _entries(real)
