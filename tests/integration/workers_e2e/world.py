"""Everything that Workers on Kubernetes needs, real but for the kubelet: the two processes of the binary, a control
plane, S3 as moto plays it, a registry, wrangler and workerd."""

import hashlib
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import msgspec
import requests

from apis.cfworker.selector import LabelSelector
from apis.cfworker.workeraccount import WorkerAccount, WorkerAccountSpec
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from apis.core.v1 import Secret
from apis.meta import Key, ObjectMeta
from controllers.cfapi.tokens import TOKEN_LABEL
from framework.client import connect, from_kubeconfig
from framework.clock import SystemClock
from framework.errors import NotFound
from framework.testing.control_plane.ports import free_port
from framework.testing.control_plane.waiting import wait_until
from tests.cluster import Cluster
from tests.component.cfapi.wrangler import Wrangler
from tests.integration.workers_build.parts import workerd_binary, wrangler_program
from tests.integration.workers_build.registry import Registry
from tests.integration.workers_build.storage import BUCKET, KEY_ID, REGION, SECRET_KEY, Storage
from tests.integration.workers_e2e.kubelet import WORKERD, Kubelet
from tests.integration.workers_e2e.serving import Served

ACCOUNT = "acme"
TOKEN = "token-of-a-developer"
# A machine that others use too may take long for one build.
LIMIT_SECONDS = 300.0
_ROOT = Path(__file__).resolve().parents[3]
_STOP_SECONDS = 40.0


class World:
    """One account in one namespace; a context, at whose end everything that was started has ended."""

    def __init__(
        self,
        cluster: Cluster,
        namespace: str,
        folder: Path,
        manager_flags: Sequence[str] = ("-leader-elect=false",),
        *,
        registry_deletes: bool = True,
    ) -> None:
        self._cluster, self._namespace, self._folder = cluster, namespace, folder
        self._registry_deletes = registry_deletes
        self._more_flags = manager_flags
        self.managers: list[subprocess.Popen[Any]] = []
        folder.mkdir(parents=True, exist_ok=True)
        self._stack = ExitStack()
        self._port = free_port()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._start(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _start(self, stack: ExitStack) -> None:
        workerd = workerd_binary()
        self.storage = Storage()
        stack.callback(self.storage.close)
        # All servers of moto in one process have the same objects, those of other tests too.
        self._of_others = set(self.storage.keys())
        self.registry = Registry(self._folder / "registry", deletes=self._registry_deletes)
        stack.callback(self.registry.close)
        self.client = connect(from_kubeconfig(str(self._cluster.kubeconfig), clock=SystemClock()))
        stack.callback(self.client.connection.close)
        self._make_objects()
        self.kubelet = Kubelet(self._cluster, self._namespace, self._folder / "pods", workerd)
        stack.enter_context(self.kubelet)
        self._start_manager(stack, "manager")
        self._begin(stack, "cf-api", *self._api_flags(workerd))
        self.wait(self._is_ready, "the API is not ready")

    def start_another_manager(self) -> None:
        self._start_manager(self._stack, "second-manager")

    def wrangler(self, project: str) -> Wrangler:
        folder = self._folder / project
        folder.mkdir(exist_ok=True)
        return Wrangler(wrangler_program(), f"http://127.0.0.1:{self._port}/client/v4", folder, TOKEN)

    @property
    def stored(self) -> set[str]:
        """What is in the bucket, other than what others have left there."""
        return set(self.storage.keys()) - self._of_others

    def wait(self, condition: Callable[[], bool], otherwise: str) -> None:
        assert wait_until(condition, limit_seconds=LIMIT_SECONDS), f"{otherwise}\n{self._logs()}"

    def wait_served(self, script: str, version_id: str) -> None:
        """Until pods of *version_id* are ready."""
        self.wait(lambda: self.serving_version(script) == version_id, f"{script} is not served as {version_id}")

    def serving_version(self, script: str) -> str:
        """Empty while what serves is not what should."""
        deployment = self.deployment(script)
        status = deployment.status
        is_available = any(each.type == "Available" and each.status == "True" for each in status.conditions)
        if not is_available or status.observed_generation != deployment.metadata.generation:
            return ""
        return self.client.get(WorkerRelease, Key(self._namespace, status.serving_release)).spec.version_id

    def deployment(self, script: str) -> WorkerDeployment:
        return self.client.get(WorkerDeployment, Key(self._namespace, f"{ACCOUNT}.{script}"))

    @property
    def bundle(self) -> WorkerBundle:
        return self.client.get(WorkerBundle, Key(self._namespace, ACCOUNT))

    @property
    def served(self) -> Served:
        return Served(self.client, Key(self._namespace, f"{ACCOUNT}-depl"))

    @property
    def pod_template(self) -> dict[str, Any]:
        path = f"/apis/apps/v1/namespaces/{self._namespace}/deployments/{ACCOUNT}-depl"
        found: dict[str, Any] = msgspec.json.decode(self.client.raw_get(path))["spec"]["template"]
        return found

    @property
    def is_anything_deployed(self) -> bool:
        try:
            return bool(self.served.image)
        except NotFound:
            return False

    def answers(self) -> dict[str, str]:
        """What each worker says on its port."""
        ports = {worker.worker_name: str(worker.worker_number) for worker in self.bundle.spec.workers}
        with self.served.running(self.registry, self._folder / "images") as started:
            return {name: started.text(port) for name, port in ports.items()}

    def unpacked(self) -> Path:
        """The files of the image that is served."""
        return self.served.unpacked(self.registry, self._folder / "images")

    def has_image(self, image: Served) -> bool:
        return self.registry.manifest(image.repository, image.digest).ok

    def _is_ready(self) -> bool:
        try:
            return requests.get(f"http://127.0.0.1:{self._port}/readyz", timeout=5).ok
        except requests.ConnectionError:
            return False

    def _make_objects(self) -> None:
        credentials = f"[default]\naws_access_key_id = {KEY_ID}\naws_secret_access_key = {SECRET_KEY}\n"
        (self._folder / "credentials").write_text(credentials)
        self._secret("s3-credentials", {"credentials": credentials})
        self._secret("docker-hub", {".dockerconfigjson": '{"auths": {}}'}, type_="kubernetes.io/dockerconfigjson")
        token = {
            "token-sha256": hashlib.sha256(TOKEN.encode()).hexdigest(),
            "accounts": ACCOUNT,
            "permission": "write",
            "email": "dev@example.com",
        }
        self._secret("developer", token, labels={TOKEN_LABEL: "true"})
        spec = WorkerAccountSpec(
            worker_bundle_name=ACCOUNT, worker_release_selector=LabelSelector(match_labels={"accounts": ACCOUNT})
        )
        self.client.create(WorkerAccount(metadata=ObjectMeta(name=ACCOUNT, namespace=self._namespace), spec=spec))

    def _secret(
        self, name: str, data: dict[str, str], *, labels: dict[str, str] | None = None, type_: str = "Opaque"
    ) -> None:
        metadata = ObjectMeta(name=name, namespace=self._namespace, labels=labels or {})
        values = {key: value.encode() for key, value in data.items()}
        self.client.create(Secret(metadata=metadata, type=type_, data=values))

    def _storage_flags(self) -> list[str]:
        return [f"-s3-endpoint={self.storage.url}", f"-s3-region={REGION}", f"-s3-bucket={BUCKET}"]

    def _manager_flags(self) -> list[str]:
        return [
            "-mode=manager",
            "-controllers=workers",
            "-debug-bind-address=0",
            f"-image-repository-prefix={self.registry.host}/workers",
            f"-image-workerd={WORKERD}",
            "-build-debounce=500ms",
            *self._storage_flags(),
            *self._more_flags,
        ]

    def _api_flags(self, workerd: Path) -> list[str]:
        address = f"-listen=127.0.0.1:{self._port}"
        return [
            "-mode=cf-api",
            f"-namespace={self._namespace}",
            address,
            f"-workerd={workerd}",
            "-preflight-timeout=60s",
            *self._storage_flags(),
        ]

    def _start_manager(self, stack: ExitStack, name: str) -> None:
        self.managers.append(self._begin(stack, name, *self._manager_flags()))

    def _begin(self, stack: ExitStack, name: str, *flags: str) -> "subprocess.Popen[Any]":
        log = stack.enter_context(self._log(name).open("w"))
        process = self._process(log, f"-kubeconfig={self._cluster.kubeconfig}", *flags)
        stack.callback(_end, process)
        return process

    def _process(self, log: IO[str], *flags: str) -> "subprocess.Popen[Any]":
        return subprocess.Popen(
            [sys.executable, "-m", "controllers", *flags],
            cwd=_ROOT,
            env={"AWS_SHARED_CREDENTIALS_FILE": str(self._folder / "credentials"), "HOME": str(self._folder)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )

    def log(self, name: str) -> str:
        return self._log(name).read_text()

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"

    def _logs(self) -> str:
        names = [name for name in ("manager", "second-manager", "cf-api") if self._log(name).exists()]
        said = [f"--- {name}\n{self.log(name)[-6000:]}" for name in names]
        return "\n".join([*said, f"--- builds\n{self.kubelet.output[-3000:]}"])


def _end(process: "subprocess.Popen[Any]") -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
