"""An account on the embedded API server, with the API of Workers and the controller of WorkerDeployments at work."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import requests

from apis.cfworker.selector import LabelSelector
from apis.cfworker.workeraccount import WorkerAccount, WorkerAccountSpec
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from apis.core.v1 import Secret
from apis.meta import Key, ObjectMeta
from controllers.cfapi.options import CfApiOptions
from controllers.cfapi.server import serve_cf_api
from controllers.cfapi.tokens import TOKEN_LABEL
from controllers.cfapi.upload import ScriptCheck
from controllers.scriptstorage.connect import connect_storage
from controllers.scriptstorage.objects import ScriptObjects
from controllers.workerdeployment.register import register_workerdeployment
from controllers.workers.settings import WorkersSettings
from framework.client import Client, Observer
from framework.manager import Manager, ManagerOptions
from framework.testing.control_plane.waiting import wait_until
from tests.integration.workers_build.storage import Storage

ACCOUNT = "acme"
TOKENS = {
    "write": "token-that-writes",
    "read": "token-that-reads",
    "other": "token-of-another-account",
    "all": "token-for-all-accounts",
}
_SYNC_SECONDS = 20.0


class World:
    """Ended by `close`."""

    def __init__(
        self,
        connected: Callable[[], Client],
        namespace: str,
        storage: Storage,
        *,
        check: ScriptCheck | None = None,
        objects: ScriptObjects | None = None,
        observers: Sequence[Observer] = (),
        **options: Any,
    ) -> None:
        self.client, self.namespace, self.storage = connected(), namespace, storage
        # Of its own: worlds that live at the same time have scripts of the same name.
        self.bucket = f"scripts-{namespace}"
        storage.client.create_bucket(Bucket=self.bucket)
        self.objects = objects or connect_storage(storage.settings(bucket=self.bucket))
        self._make_tokens()
        self.make_account(ACCOUNT)
        self.manager = Manager(
            connected().observed_by(*observers),
            options=ManagerOptions(namespaces=(namespace,), grace_period_seconds=5.0),
        )
        given = CfApiOptions(namespace=namespace, listen="127.0.0.1:0", **options)
        self._api = serve_cf_api(self.manager, given, self.objects, check)
        self.controllers = Manager(
            connected(), options=ManagerOptions(namespaces=(namespace,), grace_period_seconds=5.0)
        )
        register_workerdeployment(self.controllers, WorkersSettings(s3_bucket=self.bucket))
        self.manager.start()
        self.controllers.start()
        assert wait_until(lambda: self.request("GET", "/user").ok, limit_seconds=_SYNC_SECONDS)

    def close(self) -> None:
        for manager in (self.manager, self.controllers):
            manager.stop()
        self.client.connection.close()
        self.objects.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._api.port}"

    @property
    def base_url(self) -> str:
        return f"{self.url}/client/v4"

    def request(
        self,
        method: str,
        path: str,
        token: str = TOKENS["write"],
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> requests.Response:
        sent = {"Authorization": f"Bearer {token}", **(headers or {})} if token else dict(headers or {})
        return requests.request(method, f"{self.base_url}{path}", headers=sent, timeout=30, **more)

    def get(self, path: str) -> requests.Response:
        """Beside the API."""
        return requests.get(f"{self.url}{path}", timeout=30)

    def object(self, key: str) -> bytes:
        content = self.objects.get(key)
        assert content is not None, key
        return content

    def result(self, method: str, path: str, **more: Any) -> Any:
        """Of a request that succeeds."""
        answer = self.request(method, path, **more)
        document = answer.json()
        assert (answer.status_code, document["success"]) == (200, True), document
        return document["result"]

    def error(self, method: str, path: str, **more: Any) -> tuple[int, int]:
        """Status and code of a request that does not."""
        answer = self.request(method, path, **more)
        document = answer.json()
        assert document["success"] is False, document
        assert answer.headers["content-type"] == "application/json"
        return answer.status_code, document["errors"][0]["code"]

    def workers(self, path: str = "") -> str:
        return f"/accounts/{ACCOUNT}/workers{path}"

    def deployment(self, script: str) -> WorkerDeployment:
        return self.client.get(WorkerDeployment, Key(self.namespace, f"{ACCOUNT}.{script}"))

    def releases(self) -> list[WorkerRelease]:
        releases = self.client.list(WorkerRelease, self.namespace)
        return sorted(releases, key=lambda release: int(release.metadata.annotations["api.cf-worker/revision"]))

    def secret(self, script: str) -> dict[str, bytes]:
        return self.client.get(Secret, Key(self.namespace, f"{ACCOUNT}.{script}.secrets")).data

    def keys(self, script: str = "") -> list[str]:
        return self.storage.keys(f"{ACCOUNT}/{script}", self.bucket)

    def make_account(self, name: str, **spec: Any) -> None:
        given = {
            "worker_bundle_name": name,
            "worker_release_selector": LabelSelector(match_labels={"accounts": name}),
            **spec,
        }
        metadata = ObjectMeta(name=name, namespace=self.namespace)
        self.client.create(WorkerAccount(metadata=metadata, spec=WorkerAccountSpec(**given)))

    def _make_tokens(self) -> None:
        allowed = {"write": (ACCOUNT, "write"), "read": (ACCOUNT, "read"), "other": ("elsewhere", "write")}
        for name, token in TOKENS.items():
            accounts, permission = allowed.get(name, ("*", "write"))
            data = {
                "token-sha256": hashlib.sha256(token.encode()).hexdigest().encode(),
                "accounts": accounts.encode(),
                "permission": permission.encode(),
                "email": b"dev@example.com",
            }
            metadata = ObjectMeta(name=f"token-{name}", namespace=self.namespace, labels={TOKEN_LABEL: "true"})
            self.client.create(Secret(metadata=metadata, type="Opaque", data=data))


MakeWorld = Callable[..., World]
Part = tuple[str, str | bytes, str]


def form(metadata: Mapping[str, Any] | bytes, *modules: Part) -> list[tuple[str, Any]]:
    """An upload as `requests` takes it; a module is (name, content, content type)."""
    text = metadata if isinstance(metadata, bytes) else msgspec.json.encode(metadata)
    return [("metadata", (None, text)), *((name, (name, content, kind)) for name, content, kind in modules)]


ES_MODULE = "application/javascript+module"
HELLO = 'export default { fetch() { return new Response("hello"); } };'


def hello(text: str = "hello", **metadata: Any) -> list[tuple[str, Any]]:
    given = {"main_module": "index.js", "compatibility_date": "2024-01-01", **metadata}
    return form(given, ("index.js", HELLO.replace("hello", text), ES_MODULE))
