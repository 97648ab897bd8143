"""Each patch is sent to the real server and applied by ours; what ours makes of it is put to the real server.

Both are dry runs, so that the real server's defaults and validation are on both sides.
"""

from typing import Any

import pytest

from framework.apiserver.objects import Object
from framework.apiserver.patch import StrategicMerger, json_patch, merge_patch
from framework.apiserver.status import status_document
from framework.errors import ApiError
from framework.testing.control_plane import ControlPlane
from tests.conformance.patch.cases import ALL, CONFIG_MAP, DEPLOYMENT, POD, SERVICE
from tests.conformance.patch.real_server import RealServer

_CONTENT_TYPES = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}
_KINDS: dict[str, tuple[str, str, str, Object]] = {
    "Deployment": ("apis/apps/v1", "deployments", "io.k8s.api.apps.v1", DEPLOYMENT),
    "Service": ("api/v1", "services", "io.k8s.api.core.v1", SERVICE),
    "Pod": ("api/v1", "pods", "io.k8s.api.core.v1", POD),
    "ConfigMap": ("api/v1", "configmaps", "io.k8s.api.core.v1", CONFIG_MAP),
}
_MASKED = ("resourceVersion", "managedFields", "generation", "uid", "creationTimestamp")


class _Patched:
    """One object on the real server, and our merger for it."""

    def __init__(self, server: RealServer, kind: str, namespace: str) -> None:
        group, plural, package, manifest = _KINDS[kind]
        self._server = server
        self._collection = f"/{group}/namespaces/{namespace}/{plural}"
        self._live = server.make(self._collection, manifest)
        definitions = server.ask("GET", f"/openapi/v3/{group}").document["components"]["schemas"]
        self._merger = StrategicMerger({"$ref": f"#/components/schemas/{package}.{kind}"}, definitions)

    def on_real(self, patch_type: str, patch: Any) -> Object:
        headers = {"Content-Type": _CONTENT_TYPES[patch_type]}
        return _masked(self._server.ask("PATCH", self._path, patch, headers=headers).document)

    def on_ours(self, patch_type: str, patch: Any) -> Object:
        try:
            return self._put(self._apply(patch_type, patch))
        except ApiError as error:
            return _masked(status_document(error))

    @property
    def _path(self) -> str:
        return f"{self._collection}/it?dryRun=All"

    def _apply(self, patch_type: str, patch: Any) -> Object:
        # Controllers write status meanwhile.
        live = self._server.ask("GET", f"{self._collection}/it").document
        if patch_type == "json":
            return json_patch(live, patch)
        return merge_patch(live, patch) if patch_type == "merge" else self._merger.strategic_merge(live, patch)

    def _put(self, patched: Object) -> Object:
        # What a patch may leave out, a PUT needs.
        for name in ("apiVersion", "kind"):
            patched.setdefault(name, self._live[name])
        metadata = patched.setdefault("metadata", {})
        metadata.setdefault("name", "it")
        metadata.pop("resourceVersion", None)
        return _masked(self._server.ask("PUT", self._path, patched).document)


@pytest.fixture(scope="module")
def targets(control_plane: ControlPlane) -> dict[str, _Patched]:
    server = RealServer(control_plane)
    server.make("/api/v1/namespaces", {"metadata": {"name": "patches"}})
    return {kind: _Patched(server, kind, "patches") for kind in _KINDS}


@pytest.mark.parametrize(
    ("kind", "patch_type", "patch"), [case[1:] for case in ALL], ids=[f"{case[2]}-{case[0]}" for case in ALL]
)
def test_patch_has_the_outcome_of_the_real_server(
    targets: dict[str, _Patched], kind: str, patch_type: str, patch: Any
) -> None:
    real = targets[kind].on_real(patch_type, patch)

    ours = targets[kind].on_ours(patch_type, patch)

    assert ours == real


def _masked(document: Object) -> Object:
    metadata = {name: value for name, value in document.get("metadata", {}).items() if name not in _MASKED}
    return {**{name: value for name, value in document.items() if name != "status"}, "metadata": metadata} | (
        {"status": document["status"]} if document["kind"] == "Status" else {}
    )
