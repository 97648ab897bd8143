"""Writes to the scale subresource: the entries of the object behind it, and the refusals."""

import uuid

import pytest

from framework.apiserver.managedfields import ScaleFieldManager
from framework.apiserver.objects import Object
from framework.apiserver.status import status_document
from framework.errors import ApiError
from tests.conformance.managedfields.thing import API_VERSION
from tests.conformance.managedfields.writes import Things, Write, last_time, with_sorted_causes
from tests.conformance.patch.real_server import RealServer

_MERGE, _APPLY = "application/merge-patch+json", "application/apply-patch+yaml"
_WRITES: list[tuple[str, int, str, bool]] = [
    (_MERGE, 3, "scaler", False),
    (_MERGE, 4, "scaler", False),
    (_MERGE, 5, "creator", False),
    (_APPLY, 5, "applier", False),
    (_APPLY, 6, "other", False),
    (_APPLY, 6, "applier", True),
    (_APPLY, 6, "applier", False),
    (_MERGE, 6, "scaler", False),
    (_MERGE, 0, "scaler", False),
    (_MERGE, 7, "scaler", False),
]


class _Scaled:
    def __init__(self, server: RealServer, namespace: str, name: str) -> None:
        self._server = server
        self._name = name
        self._path = f"/apis/{API_VERSION}/namespaces/{namespace}/things/{name}"
        paths = {API_VERSION: ("spec", "replicas")}
        self._manager = ScaleFieldManager(api_version=API_VERSION, replicas=paths, is_custom=True)

    def write(self, patch_type: str, replicas: int, manager: str, *, force: bool) -> tuple[Object, Object]:
        live = self._server.ask("GET", self._path).document
        old = self._server.ask("GET", f"{self._path}/scale").document
        patch = {
            "apiVersion": "autoscaling/v1",
            "kind": "Scale",
            "metadata": {"name": self._name},
            "spec": {"replicas": replicas},
        }
        query = f"?fieldManager={manager}" + ("&force=true" if force else "")
        answer = self._server.ask("PATCH", f"{self._path}/scale{query}", patch, headers={"Content-Type": patch_type})
        real = self._server.ask("GET", self._path).document
        now = last_time(real)
        if patch_type == _MERGE:
            new = {**old, "spec": {"replicas": replicas}}
            return _entries(real), {"entries": self._manager.update(live, old, new, manager, now)}
        try:
            _, entries = self._manager.apply(live, old, patch, manager, now, force=force)
        except ApiError as error:
            return with_sorted_causes(answer.document), with_sorted_causes(status_document(error))
        return _entries(real), {"entries": entries}


def _entries(obj: Object) -> Object:
    return {"entries": obj["metadata"]["managedFields"]}


@pytest.mark.parametrize("creator", ["update", "apply"])
def test_any_writer_of_replicas_is_known_by_the_object(
    things: Things, server: RealServer, namespace_of_things: str, creator: str
) -> None:
    name = f"thing-{uuid.uuid4().hex[:10]}"
    document = {"spec": {"replicas": 1, "size": 1}}
    if creator == "update":
        things.create(name, document, "creator")
    else:
        things.write(name, Write("apply", document, "creator"))
    scaled = _Scaled(server, namespace_of_things, name)

    for patch_type, replicas, manager, force in _WRITES:
        real, ours = scaled.write(patch_type, replicas, manager, force=force)

        assert ours == real, (patch_type, replicas, manager)
