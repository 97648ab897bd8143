"""The control plane itself: start, stop, restart, and how to reach it."""

import secrets
import signal
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from framework.testing.control_plane import commands, nodes
from framework.testing.control_plane.audit import AuditLog
from framework.testing.control_plane.credentials import ADMIN, ClientCertificate, Credentials, file_name
from framework.testing.control_plane.error import ControlPlaneError
from framework.testing.control_plane.exchange import Answer, exchange
from framework.testing.control_plane.kubeconfig import write_kubeconfig
from framework.testing.control_plane.ports import free_port
from framework.testing.control_plane.processes import Processes


class ControlPlane:
    """etcd and kube-apiserver, and on request the controller manager, the scheduler and nodes played by kwok.

    *binaries* is what `find_binaries` returns. *folder* gets data, keys and logs; a control plane in a folder that
    already has data continues with it. *audited* are the core and coordination resources whose writes the API server
    logs, see `audit_log`. *extra_apiserver_args* come last and so win. *controllers* are those that the controller
    manager runs.

    Without a controller manager nobody makes the `default` service accounts, so pods do without one.
    """

    def __init__(
        self,
        binaries: Path,
        folder: Path,
        *,
        controller_manager: bool = False,
        scheduler: bool = False,
        kwok_nodes: int = 0,
        audited: Sequence[str] = (),
        extra_apiserver_args: Sequence[str] = (),
        controllers: Sequence[str] = ("*",),
    ) -> None:
        self._binaries = binaries.absolute()
        self._folder = folder.absolute()
        self._has_controller_manager = controller_manager
        self._has_scheduler = scheduler
        self._kwok_nodes = kwok_nodes
        self.audit_log = AuditLog(self._folder, audited)
        self._extra_apiserver_args = (*self.audit_log.apiserver_args, *extra_apiserver_args)
        self._controllers = controllers
        self._credentials = Credentials(self._folder / "pki", pki=self._binaries / "pki")
        self._processes = Processes(self._folder)
        self._etcd_url = ""
        # Kept across restarts, because clients keep it too.
        self._port: int | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Return when everything that was asked for is ready; leave nothing running otherwise."""
        if self._processes.pids():
            raise ControlPlaneError(f"the control plane in {self._folder} is running; stop it first")
        try:
            self._credentials.make()
            self.audit_log.write_policy()
            self._start_etcd()
            self._start_apiserver()
            self._start_clients_of_the_apiserver()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End every process; what the API server has confirmed stays in the folder."""
        # Killed rather than asked: nothing that matters is only in their memory, and a test should not wait.
        self._processes.stop_all(signal.SIGKILL)

    def stop_apiserver(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the API server, if it is running, and leave the rest alone; SIGKILL for a crash."""
        self._processes.stop("kube-apiserver", how)

    def restart_apiserver(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Stop the API server, if it is running, and return when it is ready again: same port, same data."""
        if "etcd" not in self._processes:
            raise ControlPlaneError(f"the control plane in {self._folder} is not running; start it first")
        self.stop_apiserver(how)
        self._processes.start("kube-apiserver", self._apiserver_command())
        self._processes.wait_for("kube-apiserver", self._is_apiserver_ready)

    def compact(self) -> None:
        """Have etcd forget every version but the newest of each object."""
        state = exchange("POST", f"{self._etcd_url}/v3/kv/range", body={"key": "AA==", "keys_only": True})
        if state is None:
            raise ControlPlaneError(f"etcd of the control plane in {self._folder} does not answer")
        revision = state.document()["header"]["revision"]
        exchange("POST", f"{self._etcd_url}/v3/kv/compaction", body={"revision": revision, "physical": True})

    @property
    def url(self) -> str:
        if self._port is None:
            raise ControlPlaneError(f"the control plane in {self._folder} has no address yet; start it first")
        return f"https://127.0.0.1:{self._port}"

    @property
    def kubeconfig(self) -> Path:
        """A kubeconfig for an administrator, who may also impersonate anybody."""
        return self._folder / "kubeconfig"

    @property
    def token(self) -> str:
        """The administrator's token."""
        return self._credentials.tokens[ADMIN]

    @property
    def ca_file(self) -> Path:
        return self._credentials.ca_file

    @property
    def pids(self) -> Mapping[str, int]:
        """The pid of each server, by its name; servers that were stopped are not in it."""
        return self._processes.pids()

    def kubeconfig_for(self, user: str, groups: Sequence[str] = (), *, token: str | None = None) -> Path:
        """Return a kubeconfig for *user*.

        With *token* it holds that one, as for a service account. Otherwise `nobody`, `alice` and `bob` have a token
        of their own, and anybody else, or anybody in *groups*, is impersonated by the administrator.
        """
        if token is None and not groups:
            token = self._credentials.tokens.get(user)
        if token is not None:
            return self._write_kubeconfig(f"{file_name(user, token)}.kubeconfig", {"token": token})
        impersonation = {"token": self.token, "as": user, "as-groups": list(groups)}
        return self._write_kubeconfig(f"{file_name(user, *groups)}.kubeconfig", impersonation)

    def client_certificate(self, user: str, groups: Sequence[str] = ()) -> ClientCertificate:
        """Return a certificate for *user* in *groups*; needs the `pki` program among the binaries."""
        certificate, key = self._credentials.issue(user, groups)
        identity = {"client-certificate": str(certificate), "client-key": str(key)}
        return ClientCertificate(
            certificate=certificate,
            key=key,
            kubeconfig=self._write_kubeconfig(f"{certificate.stem}.kubeconfig", identity),
        )

    def _write_kubeconfig(self, name: str, user: Mapping[str, object]) -> Path:
        return write_kubeconfig(self._folder / name, server=self.url, ca_file=self.ca_file, user=user)

    def _start_etcd(self) -> None:
        # The name is how we know that who answers is ours, and not a server that took the port before it.
        name = f"windlass-{secrets.token_hex(8)}"

        def command() -> list[str]:
            self._etcd_url, peer_url = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
            data = self._folder / "etcd"
            return commands.etcd(self._binaries, name=name, data=data, client_url=self._etcd_url, peer_url=peer_url)

        def is_ready() -> bool:
            answer = exchange("POST", f"{self._etcd_url}/v3/cluster/member/list", body={})
            return answer is not None and name in answer.body.decode()

        self._processes.start_on_free_ports("etcd", command, is_ready)

    def _start_apiserver(self) -> None:
        def command() -> list[str]:
            self._port = free_port()
            return self._apiserver_command()

        if self._port is not None:
            self.restart_apiserver()
        else:
            self._processes.start_on_free_ports("kube-apiserver", command, self._is_apiserver_ready)
        # Only now: the file of the certificate may be one that the API server has just made.
        self._write_kubeconfig(self.kubeconfig.name, {"token": self.token})

    def _apiserver_command(self) -> list[str]:
        extra = self._extra_apiserver_args
        if not self._has_controller_manager:
            extra = ("--disable-admission-plugins=ServiceAccount", *extra)
        return commands.kube_apiserver(
            self._binaries, port=self._port or 0, etcd_url=self._etcd_url, credentials=self._credentials, extra=extra
        )

    def _is_apiserver_ready(self) -> bool:
        answer = self._request("GET", "/readyz")
        return answer is not None and answer.is_ok()

    def _start_clients_of_the_apiserver(self) -> None:
        has_nodes = self._kwok_nodes > 0
        if self._has_controller_manager:
            # Without kubelets this controller would mark each node that a test makes as unreachable.
            without = () if has_nodes else ("-node-lifecycle-controller",)
            command = commands.kube_controller_manager(
                self._binaries,
                kubeconfig=self.kubeconfig,
                credentials=self._credentials,
                controllers=(*self._controllers, *without),
            )
            self._processes.start("kube-controller-manager", command)
        if self._has_scheduler:
            self._processes.start("kube-scheduler", commands.kube_scheduler(self._binaries, kubeconfig=self.kubeconfig))
        if has_nodes:
            self._processes.start("kwok", commands.kwok(self._binaries, kubeconfig=self.kubeconfig))
            self._processes.wait_for("kwok", self._are_nodes_ready)
        if self._has_controller_manager:
            self._processes.wait_for("kube-controller-manager", self._has_default_service_account)

    def _are_nodes_ready(self) -> bool:
        is_enough = nodes.is_schedulable if self._has_controller_manager else nodes.is_ready
        return all(is_enough(self._node(f"kwok-{number}")) for number in range(self._kwok_nodes))

    def _node(self, name: str) -> Any:
        """Return the node as it is now, after making it if it is not there; nothing while nobody answers."""
        answer = self._request("GET", f"/api/v1/nodes/{name}")
        if answer is not None and answer.status == HTTPStatus.NOT_FOUND:
            answer = self._request("POST", "/api/v1/nodes", nodes.node(name))
        return answer.document() if answer is not None else {}

    def _has_default_service_account(self) -> bool:
        answer = self._request("GET", "/api/v1/namespaces/default/serviceaccounts/default")
        return answer is not None and answer.is_ok()

    def _request(self, method: str, path: str, body: object = None) -> Answer | None:
        return exchange(method, f"{self.url}{path}", token=self.token, ca_file=self.ca_file, body=body)
