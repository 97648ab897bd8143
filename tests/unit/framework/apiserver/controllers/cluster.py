"""A server in memory with its controllers, moved by hand."""

from collections.abc import Mapping
from typing import Any

import msgspec

from framework.apiserver.auth import SigningKey
from framework.apiserver.controllers import ESSENTIAL, ControllerMaker, builtin_controllers
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.server import ADMIN, ApiServer, ServerOptions
from framework.apiserver.storage import Change, StorageOptions
from framework.http.exchange import ServerRequest
from framework.randomness import system_random
from framework.testing.virtual_time import VirtualTime

MERGE = "application/merge-patch+json"
_KEY = SigningKey.generate()


class Cluster:
    def __init__(
        self, makers: Mapping[str, ControllerMaker] = ESSENTIAL, *, history: StorageOptions | None = None
    ) -> None:
        self.time = VirtualTime()
        self.api = ApiServer(
            clock=self.time.clock,
            runtime=self.time.runtime,
            random=system_random(),
            options=ServerOptions(history=history or StorageOptions()),
            signing_key=_KEY,
        )
        self._makers = makers
        self.controllers = builtin_controllers(self.api, makers)

    def settle(self) -> float | None:
        return self.controllers.settle()

    def settle_through(self, seconds: float) -> None:
        """Let *seconds* pass, with the controllers at work whenever one of them is due."""
        left = seconds
        while (wait := self.controllers.settle()) is not None and wait <= left:
            self.time.advance(wait)
            left -= wait
        self.time.advance(left)
        self.controllers.settle()

    def restart_controllers(self) -> None:
        """As after a crash: new ones, which know nothing."""
        self.use(self._makers)

    def use(self, makers: Mapping[str, ControllerMaker]) -> None:
        self._makers = makers
        self.controllers = builtin_controllers(self.api, makers)

    def changes_since(self, revision: int, group: str, plural: str) -> list[Change]:
        table = self.api.storage.table(GroupResource(group, plural))
        return table.changes_from(table.cursor(revision))

    @property
    def revision(self) -> int:
        return self.api.storage.revision

    def request(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Any:
        """The content of the answer; a refusal is one too."""
        headers = {"content-type": content_type, "accept": "application/json", "user-agent": "test"}
        content = b"" if body is None else msgspec.json.encode(body)
        answer = self.api.handle(ServerRequest(method, path, headers, content, ADMIN))
        return msgspec.json.decode(answer.body)

    def create(self, path: str, obj: Object) -> Object:
        created: Object = self.request("POST", path, obj)
        assert created["kind"] != "Status", created
        return created

    def get(self, path: str) -> Object | None:
        found: Object = self.request("GET", path)
        return None if found["kind"] == "Status" and found["code"] == 404 else found

    def read(self, path: str) -> Object:
        found = self.get(path)
        assert found is not None, f"{path} does not exist"
        return found

    def items(self, path: str) -> list[Object]:
        items: list[Object] = self.request("GET", path)["items"]
        return items

    def names(self, path: str) -> list[str]:
        return [item["metadata"]["name"] for item in self.items(path)]

    def patch(self, path: str, patch: Any) -> Object:
        changed: Object = self.request("PATCH", path, patch, MERGE)
        assert changed["kind"] != "Status", changed
        return changed

    def delete(self, path: str, propagation: str | None = None, **options: Any) -> Any:
        if propagation:
            options["propagationPolicy"] = propagation
        return self.request("DELETE", path, options or None)

    def release(self, path: str) -> None:
        """Take all finalizers away."""
        self.patch(path, {"metadata": {"finalizers": None}})


def config_maps(name: str = "", namespace: str = "default") -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps" + (f"/{name}" if name else "")


def config_map(name: str, *owners: Object, blocks: bool = False, finalizers: tuple[str, ...] = ()) -> Object:
    metadata: dict[str, Any] = {"name": name}
    if owners:
        metadata["ownerReferences"] = [reference_to(owner, blocks=blocks) for owner in owners]
    if finalizers:
        metadata["finalizers"] = list(finalizers)
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def reference_to(owner: Object, *, blocks: bool = False) -> dict[str, Any]:
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
    }
    return {**reference, "blockOwnerDeletion": True} if blocks else reference
