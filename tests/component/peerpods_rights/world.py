"""A server that asks for rights, both controllers in the name of somebody who has some, and what must come of it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, ClassVar, Literal

import msgspec

from apis.confidentialcontainers.peerpod import PeerPod
from apis.meta import GroupVersionKind, Key, ResourceType
from apis.registry import PEER_POD_KINDS
from controllers.definitions import install_crds
from controllers.peerpod import register_peerpod
from controllers.peerpod.provider import Accepted, AuthFailed, Hints, Outcome
from controllers.peerpodconfig import register_peerpodconfig
from controllers.peerpods.options import PeerPodOptions
from framework.apiserver.controllers import ESSENTIAL, builtin_controllers
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.client import Access, Client, Observer
from framework.clock import SystemClock
from framework.http.exchange import Answer, PeerCertificate, ServerRequest
from framework.manager import Manager
from framework.rights import Right, roles_of
from framework.testing.control_plane.waiting import wait_until

OPERANDS, TENANT = "operands", "tenant"
OPTIONS = PeerPodOptions(namespace=OPERANDS, gather_seconds=0.0, webhook_image="windlass:1")
USER = PeerCertificate("windlass", ())
_GROUP = "rbac.authorization.k8s.io"
_REVIEWS = "selfsubjectaccessreviews"
_LIMIT_SECONDS = 60.0


class Unfinished(Exception):
    """What was waited for did not come."""


class Server(ApiServer):
    """As an older one, it knows no WatchList; and nobody may ask which rights he has, so that all is tried."""

    def __init__(self, clock: SystemClock) -> None:
        super().__init__(clock=clock)
        self.refused: list[str] = []

    def handle(self, request: ServerRequest) -> Answer:
        if request.peer == USER and _REVIEWS in request.target:
            return _refusal(403, "Forbidden", "nobody may ask")
        if "sendInitialEvents" in request.target:
            return _refusal(422, "Invalid", "sendInitialEvents: Forbidden: WatchList is off")
        answer = super().handle(request)
        if answer.status == 403:
            self.refused.append(msgspec.json.decode(answer.body)["message"])
        return answer


def _refusal(code: int, reason: str, message: str) -> Answer:
    status = {"apiVersion": "v1", "kind": "Status", "code": code, "reason": reason, "message": message}
    return Answer(code, {"Content-Type": "application/json"}, msgspec.json.encode(status))


class LeapingClock(SystemClock):
    """Hours of waiting can be left out."""

    def __init__(self) -> None:
        self._left_out = 0.0

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self._left_out)

    def monotonic(self) -> float:
        return SystemClock.monotonic() + self._left_out

    def leap(self, seconds: float) -> None:
        self._left_out += seconds


class Cloud:
    """Says which VMs it was told to delete; refuses whom it does not know."""

    def __init__(self) -> None:
        self.knows_the_key = True
        self.deleted: list[str] = []

    def provider(self) -> type:
        cloud = self

        class Provider:
            name: ClassVar[str] = "aws"
            extra: ClassVar[str] = ""
            settings_keys: ClassVar[tuple[str, ...]] = ("KEY", "REGION")
            secret_keys: ClassVar[tuple[str, ...]] = ("KEY",)
            location_keys: ClassVar[tuple[str, ...]] = ("REGION",)

            def __init__(self, settings: Mapping[str, str]) -> None:
                self._settings = settings

            def validate_instance_id(self, instance_id: str) -> None:
                """Any will do."""

            def delete(self, instance_id: str, _hints: Hints, _timeout_seconds: float) -> Outcome:
                if not cloud.knows_the_key or "KEY" not in self._settings:
                    raise AuthFailed("nobody of that name")
                cloud.deleted.append(instance_id)
                return Accepted()

            def close(self) -> None:
                """Nothing is open."""

        return Provider


class Meddler(Observer):
    """Takes the first finalizer off right before the controller takes off its own, so that it must look again."""

    def __init__(self, admin: Client, name: str) -> None:
        self._admin = admin
        self._name = name
        self._has_meddled = False

    def sending(self, access: Access) -> None:
        is_release = (access.verb, access.resource_type.plural, access.subresource) == ("patch", "peerpods", "")
        if is_release and access.name == self._name and not self._has_meddled:
            self._has_meddled = True
            removal = {"op": "remove", "path": "/metadata/finalizers/0"}
            self._admin.json_patch(PeerPod, Key(access.namespace, access.name), [removal])


class World:
    """Who waits for something does so for no more than *patience_seconds* after a refusal."""

    def __init__(self, patience_seconds: float = _LIMIT_SECONDS) -> None:
        self._patience_seconds = patience_seconds
        self.clock = LeapingClock()
        self.server = Server(self.clock)
        self.admin = in_process_client(self.server)
        self.cloud = Cloud()
        install_crds(self.admin, PEER_POD_KINDS)

    @contextmanager
    def managed(self, without: Right | None = None, meddled: str = "") -> Iterator[Manager]:
        """With all rights that are declared, *without* one."""
        client = in_process_client(self.server, user=USER)
        manager = Manager(client.observed_by(Meddler(self.admin, meddled)), clock=self.clock)
        register_everything(manager, self.cloud)
        self._grant(right for right in declared(manager) if right != without)
        # Who ends namespaces.
        companions = builtin_controllers(self.server, {"namespaces": ESSENTIAL["namespaces"]})
        companions.start()
        manager.start()
        try:
            yield manager
        finally:
            manager.stop()
            companions.stop()

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Unfinished if it does not come."""
        wait_until(lambda: holds() or bool(self.server.refused), limit_seconds=_LIMIT_SECONDS)
        if not wait_until(holds, limit_seconds=self._patience_seconds):
            raise Unfinished(what)

    def _grant(self, rights: Iterable[Right]) -> None:
        roles = roles_of(rights)
        assert roles.home == []
        self._bind("ClusterRole", {"name": USER.common_name}, [*roles.cluster, *roles.watched])
        for namespace, rules in roles.namespaces.items():
            self._bind("Role", {"name": USER.common_name, "namespace": namespace}, rules)

    def _bind(self, kind: str, metadata: Mapping[str, str], rules: Iterable[Any]) -> None:
        scope: Literal["Namespaced", "Cluster"] = "Cluster" if kind == "ClusterRole" else "Namespaced"

        def of(each: str) -> ResourceType:
            return ResourceType(GroupVersionKind(_GROUP, "v1", each), f"{each.lower()}s", scope)

        reference = {"apiGroup": _GROUP, "kind": kind, "name": metadata["name"]}
        subjects = [{"apiGroup": _GROUP, "kind": "User", "name": USER.common_name}]
        self.admin.apply(of(kind), {"metadata": dict(metadata), "rules": list(rules)})
        binding = {"metadata": dict(metadata), "roleRef": reference, "subjects": subjects}
        self.admin.apply(of(f"{kind}Binding"), binding)


def register_everything(manager: Manager, cloud: Cloud) -> None:
    register_peerpodconfig(manager, OPTIONS)
    register_peerpod(manager, OPTIONS, {"aws": cloud.provider()})


def declared(manager: Manager) -> tuple[Right, ...]:
    """What the roles of the chart are generated from; each once, whichever controller needs it."""
    return tuple(dict.fromkeys(right for rights in manager.rights().values() for right in rights))
