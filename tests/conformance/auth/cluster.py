"""Users of a real server, and our own authorizer over the same roles and bindings."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from framework.apiserver.auth import Attributes, RbacAuthorizer, UserInfo
from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlane
from tests.conformance.api import Api, Reply
from tests.unit.framework.apiserver.auth.fakes import FakeReader

RBAC = "/apis/rbac.authorization.k8s.io/v1"
KINDS = {
    "clusterroles": "ClusterRole",
    "clusterrolebindings": "ClusterRoleBinding",
    "roles": "Role",
    "rolebindings": "RoleBinding",
}
_LIMIT_SECONDS = 60.0


class Cluster:
    """The administrator and alice and bob, each with a token of their own."""

    def __init__(self, plane: ControlPlane) -> None:
        self.admin = self._api(plane, plane.token)
        self.tokens = {name: _token(plane.kubeconfig_for(name)) for name in ("alice", "bob")}
        self._users = {name: self._api(plane, token) for name, token in self.tokens.items()}

    def user(self, name: str) -> Api:
        return self._users[name]

    def authorizer(self) -> RbacAuthorizer:
        """Ours, over what is stored there now."""
        return RbacAuthorizer(self.reader())

    def reader(self) -> FakeReader:
        reader = FakeReader()
        for plural, kind in KINDS.items():
            for item in self.admin.get(f"{RBAC}/{plural}").document["items"]:
                reader.put({**item, "kind": kind})
        return reader

    def create(self, path: str, body: Any) -> Any:
        reply = self.admin.create(path, body)
        assert reply.status == 201, reply.body
        return reply.document

    def is_allowed(self, name: str, attributes: Attributes) -> Any:
        """The status of a SelfSubjectAccessReview."""
        reply = self.user(name).create(
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
            {
                "kind": "SelfSubjectAccessReview",
                "apiVersion": "authorization.k8s.io/v1",
                "spec": review_spec(attributes),
            },
        )
        assert reply.status == 201, reply.body
        return reply.document["status"]

    def close(self) -> None:
        for api in (self.admin, *self._users.values()):
            api.close()

    @staticmethod
    def _api(plane: ControlPlane, token: str) -> Api:
        return Api("real", plane.url, ca_file=plane.ca_file, headers={"Authorization": f"Bearer {token}"})


def wait_until(is_so: Callable[[], bool]) -> None:
    """The real server sees its own roles and configurations a moment later."""
    clock = SystemClock()
    deadline = clock.monotonic() + _LIMIT_SECONDS
    while not is_so():
        assert clock.monotonic() < deadline, "it never came true"
        clock.wait(0.05)


def a_user(name: str) -> UserInfo:
    return UserInfo(name, name, ("system:authenticated",))


def review_spec(attributes: Attributes) -> Any:
    if attributes.path is not None:
        return {"nonResourceAttributes": {"verb": attributes.verb, "path": attributes.path}}
    fields = ("verb", "group", "resource", "subresource", "namespace", "name")
    given = {field: getattr(attributes, field) for field in fields}
    return {"resourceAttributes": {field: value for field, value in given.items() if value}}


def refusal(reply: Reply) -> Any:
    """What counts of an error."""
    return {field: reply.document.get(field) for field in ("code", "reason", "message", "details")}


def _token(kubeconfig: Path) -> str:
    return str(yaml.safe_load(kubeconfig.read_text())["users"][0]["user"]["token"])
