"""A server that knows the rules of the chart: each process has its own and no others, and what it does is noted."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from apis.meta import GroupVersionKind, ResourceType
from framework.apiserver.in_process import in_process_client
from framework.apiserver.rest.request_info import request_info, split_target
from framework.apiserver.server import ADMIN, ApiServer
from framework.http.exchange import Answer, PeerCertificate, ServerRequest
from framework.manager import Manager, ManagerOptions

RULES = Path(__file__).parents[3] / "charts" / "windlass" / "files" / "rbac.yaml"
# Verb, group, and resource with its subresource, as in a role.
Permission = tuple[str, str, str]
_GROUP = "rbac.authorization.k8s.io"
_REVIEWS = "selfsubjectaccessreviews"


class GuardedServer(ApiServer):
    """As an older one, it knows no WatchList; nobody may ask which rights he has, so that all is tried.

    The answer to the first create of each kind by each process is lost: who
    makes something must find what he made before.
    """

    def __init__(self) -> None:
        super().__init__()
        self.used: dict[str, set[Permission]] = {}
        self.refused: list[str] = []
        self._lost: set[tuple[str, Permission]] = set()

    def handle(self, request: ServerRequest) -> Answer:
        if request.peer is None or request.peer == ADMIN:
            return super().handle(request)
        if _REVIEWS in request.target:
            return _refusal(403, "Forbidden", "nobody may ask")
        if "sendInitialEvents" in request.target:
            return _refusal(422, "Invalid", "sendInitialEvents: Forbidden: WatchList is off")
        answer = super().handle(request)
        return self._noted(request.peer.common_name, request, answer)

    def _noted(self, process: str, request: ServerRequest, answer: Answer) -> Answer:
        if answer.status == 403:
            self.refused.append(f"{process}: {msgspec.json.decode(answer.body)['message']}")
        path, query = split_target(request.target)
        info = request_info(request.method, path, is_watch=query.flag("watch"))
        resource = f"{info.resource}/{info.subresource}" if info.subresource else info.resource
        permission = (info.verb, info.group, resource)
        used = self.used.setdefault(process, set())
        used.add(permission)
        if answer.status != 201:
            return answer
        # An apply that creates is a patch to the client, and to the server a create as well.
        created = ("create", info.group, resource)
        used.add(created)
        if info.verb == "patch" or (process, created) in self._lost or resource == "events":
            return answer
        self._lost.add((process, created))
        return _refusal(500, "InternalError", "the answer was lost")


def _refusal(code: int, reason: str, message: str) -> Answer:
    status = {"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": reason}
    return Answer(code, {"Content-Type": "application/json"}, msgspec.json.encode({**status, "message": message}))


class Process(msgspec.Struct, frozen=True):
    """Of a mode of the binary: the parts of the chart's rules that it has, and what it does."""

    components: tuple[str, ...]
    register: Callable[[Manager], None]

    @property
    def name(self) -> str:
        return "+".join(self.components)


class Guarded:
    """*namespaces* are those that processes watch, and have rights in; an empty one is all."""

    def __init__(self, definitions: Iterable[Mapping[str, Any]], namespaces: tuple[str, ...] = ("",)) -> None:
        self._namespaces = namespaces
        self.server = GuardedServer()
        self.admin = in_process_client(self.server)
        self._granted: dict[str, set[Permission]] = {}
        for definition in definitions:
            self.admin.apply(_definitions(), definition)

    @contextmanager
    def running(self, processes: Iterable[Process], make: Callable[..., Manager] = Manager) -> Iterator[None]:
        options = ManagerOptions(namespaces=self._namespaces)
        with ExitStack() as stack:
            for process in processes:
                self._grant(process)
                client = in_process_client(self.server, user=PeerCertificate(process.name, ()))
                manager = make(client, options=options)
                process.register(manager)
                manager.start()
                stack.callback(manager.stop)
            yield

    def unused(self) -> dict[str, set[Permission]]:
        """What each process may do and has not done; none where that is nothing."""
        left = {name: granted - self.server.used.get(name, set()) for name, granted in self._granted.items()}
        return {name: permissions for name, permissions in left.items() if permissions}

    def _grant(self, process: Process) -> None:
        parts = yaml.safe_load(RULES.read_text())
        watched, cluster = (_rules(parts, process.components, place) for place in ("watched", "cluster"))
        self._granted[process.name] = set(permissions(watched + cluster))
        if self._namespaces == ("",):
            cluster += watched
        else:
            for namespace in self._namespaces:
                self._bind("Role", {"name": process.name, "namespace": namespace}, watched)
        self._bind("ClusterRole", {"name": process.name}, cluster)

    def _bind(self, kind: str, metadata: Mapping[str, str], rules: list[dict[str, Any]]) -> None:
        reference = {"apiGroup": _GROUP, "kind": kind, "name": metadata["name"]}
        subjects = [{"apiGroup": _GROUP, "kind": "User", "name": metadata["name"]}]
        self.admin.apply(_of(kind), {"metadata": dict(metadata), "rules": rules})
        binding = {"metadata": dict(metadata), "roleRef": reference, "subjects": subjects}
        self.admin.apply(_of(f"{kind}Binding"), binding)


def permissions(rules: Iterable[Mapping[str, Any]]) -> Iterator[Permission]:
    for rule in rules:
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                for verb in rule["verbs"]:
                    yield verb, group, resource


def _rules(parts: Mapping[str, Any], components: Iterable[str], place: str) -> list[dict[str, Any]]:
    return [rule for name in components for rule in parts[name].get(place, [])]


def _of(kind: str) -> ResourceType:
    scope: Literal["Namespaced", "Cluster"] = "Cluster" if kind.startswith("Cluster") else "Namespaced"
    return ResourceType(GroupVersionKind(_GROUP, "v1", kind), f"{kind.lower()}s", scope)


def _definitions() -> ResourceType:
    group = GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
    return ResourceType(group, "customresourcedefinitions", "Cluster")
