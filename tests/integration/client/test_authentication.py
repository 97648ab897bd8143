"""Who the server takes us for, and what happens when it does not believe us."""

import base64
import json
import socket
import subprocess
import threading  # noqa: TID251 - real sockets need real threads
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
import structlog

from apis.core.v1 import ConfigMap
from apis.meta import GroupVersionKind, ResourceType, Unstructured
from framework.client import Cancellation, Client, Timeouts, connect, from_kubeconfig, from_service_account
from framework.client.package_config import incluster_config
from framework.client.package_credentials import REFRESH_SECONDS
from framework.clock import SystemClock
from framework.errors import ConfigurationError, Forbidden, NotFound, TlsError, Unauthorized
from framework.runtime import ThreadRuntime
from framework.testing.control_plane import ControlPlane
from framework.testing.relay import Relay
from framework.testing.virtual_time import VirtualTime

REVIEWS = ResourceType(
    GroupVersionKind("authentication.k8s.io", "v1", "SelfSubjectReview"), "selfsubjectreviews", "Cluster"
)
ConnectTo = Callable[..., Client]
Write = Callable[..., Path]

PLUGIN = """#!/bin/sh
cd "$(dirname "$0")" && echo run >> runs
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}' "$(cat token)"
"""


def whoami(client: Client) -> tuple[str, list[str]]:
    user = client.create(Unstructured(), kind=REVIEWS).content["status"]["userInfo"]
    return user["username"], user.get("groups", [])


@pytest.fixture
def token_of(control_plane: ControlPlane) -> Callable[[str], str]:
    def token_of(user: str) -> str:
        kubeconfig = json.loads(control_plane.kubeconfig_for(user).read_text())
        return str(kubeconfig["users"][0]["user"]["token"])

    return token_of


def test_a_token_says_who_we_are(
    connect_to: ConnectTo, write_kubeconfig: Write, token_of: Callable[[str], str]
) -> None:
    assert whoami(connect_to(write_kubeconfig({"token": token_of("alice")})))[0] == "alice"


def test_client_certificates_in_files_say_who_we_are(connect_to: ConnectTo, control_plane: ControlPlane) -> None:
    issued = control_plane.client_certificate("carol", ["cats"])

    assert whoami(connect_to(issued.kubeconfig)) == ("carol", ["cats", "system:authenticated"])


def test_inline_client_certificates_say_who_we_are(
    connect_to: ConnectTo, control_plane: ControlPlane, write_kubeconfig: Write
) -> None:
    issued = control_plane.client_certificate("carol", ["cats"])
    inline = {"client-certificate-data": issued.certificate, "client-key-data": issued.key}
    user = {name: base64.b64encode(path.read_bytes()).decode() for name, path in inline.items()}
    authority = base64.b64encode(control_plane.ca_file.read_bytes()).decode()

    client = connect_to(
        write_kubeconfig(user, **{"certificate-authority": None, "certificate-authority-data": authority})
    )

    assert whoami(client)[0] == "carol"


def test_impersonation_reaches_the_server(connect_to: ConnectTo, control_plane: ControlPlane) -> None:
    client = connect_to(control_plane.kubeconfig_for("jane", ["cats", "dogs"]))

    assert whoami(client) == ("jane", ["cats", "dogs", "system:authenticated"])


def test_a_rotated_token_file_is_used_without_a_restart(
    write_kubeconfig: Write, token_of: Callable[[str], str], tmp_path: Path
) -> None:
    (tmp_path / "token").write_text(token_of("alice"))
    time = VirtualTime()
    credentials = from_kubeconfig(str(write_kubeconfig({"tokenFile": str(tmp_path / "token")})), clock=time.clock)
    with closing(connect(credentials).connection) as connection:
        client = Client(connection)
        before = whoami(client)[0]

        (tmp_path / "token").write_text(token_of("bob"))
        time.advance(REFRESH_SECONDS)

        assert (before, whoami(client)[0]) == ("alice", "bob")


def test_a_token_file_that_was_wrong_is_read_again_when_the_server_refuses(
    connect_to: ConnectTo, write_kubeconfig: Write, token_of: Callable[[str], str], tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("revoked")
    client = connect_to(write_kubeconfig({"tokenFile": str(tmp_path / "token")}))
    (tmp_path / "token").write_text(token_of("alice"))

    assert whoami(client)[0] == "alice"


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    folder = tmp_path / "plugin"
    folder.mkdir()
    program = folder / "login"
    program.write_text(PLUGIN)
    program.chmod(0o700)
    return program


def with_plugin(program: Path) -> dict[str, object]:
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(program)}}


def test_an_exec_plugin_is_asked_again_when_the_server_refuses_its_token(
    connect_to: ConnectTo, write_kubeconfig: Write, token_of: Callable[[str], str], plugin: Path
) -> None:
    (plugin.parent / "token").write_text("revoked")
    client = connect_to(write_kubeconfig(with_plugin(plugin)))
    (plugin.parent / "token").write_text(token_of("bob"))

    names = [whoami(client)[0] for _ in range(3)]

    assert names == ["bob"] * 3
    assert len((plugin.parent / "runs").read_text().splitlines()) == 2


def test_an_exec_plugin_that_fails_when_asked_again_says_why(
    connect_to: ConnectTo, write_kubeconfig: Write, plugin: Path
) -> None:
    (plugin.parent / "token").write_text("revoked")
    client = connect_to(write_kubeconfig(with_plugin(plugin)))
    plugin.write_text("#!/bin/sh\necho please log in >&2; exit 1\n")

    with pytest.raises(ConfigurationError, match=r"exec plugin '.*login' failed: .*please log in"):
        whoami(client)


def test_a_wrong_token_is_unauthorized_in_one_line_and_one_request(
    relay: Relay, tmp_path: Path, connect_to: ConnectTo
) -> None:
    client = connect_to(relay.kubeconfig(tmp_path, "wrong"))

    with pytest.raises(Unauthorized) as raised:
        client.raw_get("/api")

    assert "\n" not in str(raised.value)
    assert len(relay.requests) == 1


def test_a_service_account_is_believed_also_after_its_token_was_rotated(
    control_plane: ControlPlane,
    kubectl: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host, port = control_plane.url.removeprefix("https://").split(":")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)
    monkeypatch.setattr(incluster_config(), "SERVICE_TOKEN_FILENAME", str(tmp_path / "token"))
    monkeypatch.setattr(incluster_config(), "SERVICE_CERT_FILENAME", str(control_plane.ca_file))
    (tmp_path / "token").write_text("expired")
    with closing(connect(from_service_account(clock=SystemClock())).connection) as connection:
        (tmp_path / "token").write_text(kubectl("create", "token", "default", check=True).stdout)

        assert whoami(Client(connection))[0] == "system:serviceaccount:default:default"


def test_a_user_without_rights_is_forbidden(connect_to: ConnectTo, control_plane: ControlPlane) -> None:
    client = connect_to(control_plane.kubeconfig_for("nobody"))

    with pytest.raises(Forbidden) as raised:
        client.list(ConfigMap, "default")

    assert raised.value.details.kind == "configmaps"


@pytest.fixture
def other_authority(binaries: Path, tmp_path: Path) -> Path:
    if not (binaries / "pki").is_file():
        pytest.skip("these binaries cannot issue certificates")
    (tmp_path / "other").mkdir()
    subprocess.run([str(binaries / "pki"), "init", str(tmp_path / "other")], check=True)
    return tmp_path / "other" / "ca.crt"


def test_a_server_of_another_authority_is_not_trusted(
    connect_to: ConnectTo, write_kubeconfig: Write, other_authority: Path
) -> None:
    client = connect_to(write_kubeconfig({}, **{"certificate-authority": str(other_authority)}))

    with pytest.raises(TlsError) as raised:
        client.raw_get("/version")

    assert "certificate" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_new_authority_is_trusted_without_a_restart(
    connect_to: ConnectTo, write_kubeconfig: Write, control_plane: ControlPlane, other_authority: Path, tmp_path: Path
) -> None:
    authority = tmp_path / "ca.crt"
    authority.write_bytes(other_authority.read_bytes())
    client = connect_to(write_kubeconfig({"token": control_plane.token}, **{"certificate-authority": str(authority)}))
    with pytest.raises(TlsError):
        client.raw_get("/version")

    authority.write_bytes(control_plane.ca_file.read_bytes())

    assert b"gitVersion" in client.raw_get("/version")


def test_a_server_is_verified_by_the_name_that_the_file_gives(
    connect_to: ConnectTo, write_kubeconfig: Write, control_plane: ControlPlane
) -> None:
    good, bad = (
        connect_to(write_kubeconfig({"token": control_plane.token}, **{"tls-server-name": name}))
        for name in ("kubernetes.default.svc", "elsewhere.example")
    )

    assert b"gitVersion" in good.raw_get("/version")
    with pytest.raises(TlsError, match=r"elsewhere\.example"):
        bad.raw_get("/version")


def test_the_name_for_the_certificate_does_not_change_the_host_that_is_asked_for(
    connect_to: ConnectTo, write_kubeconfig: Write, control_plane: ControlPlane, tls_relay: Relay
) -> None:
    user = {"token": control_plane.token}
    client = connect_to(write_kubeconfig(user, **{"server": tls_relay.url, "tls-server-name": "kubernetes"}))

    client.raw_get("/version")

    assert tls_relay.requests[0].headers["host"] == tls_relay.url.removeprefix("https://")


def test_verification_can_be_turned_off_but_not_silently(
    connect_to: ConnectTo, write_kubeconfig: Write, control_plane: ControlPlane
) -> None:
    cluster = {"certificate-authority": None, "insecure-skip-tls-verify": True}
    kubeconfig = write_kubeconfig({"token": control_plane.token}, **cluster)

    with structlog.testing.capture_logs() as logged:
        client = connect_to(kubeconfig)

    assert b"gitVersion" in client.raw_get("/version")
    assert [(entry["log_level"], entry["event"]) for entry in logged] == [("warning", "tls_verification_is_off")]


class ConnectProxy:
    """Carries bytes to wherever CONNECT says, and remembers what it was told."""

    def __init__(self) -> None:
        self.heads: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._sockets: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for each in self._sockets:
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._sockets.append(client)
                head = b""
                while b"\r\n\r\n" not in head:
                    head += client.recv(4096)
                self.heads.append(head.decode())
                host, port = head.split()[1].decode().split(":")
                server = socket.create_connection((host, int(port)))
                self._sockets.append(server)
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                for pair in ((client, server), (server, client)):
                    self._threads.append(threading.Thread(target=carry, args=pair))
                    self._threads[-1].start()


def carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@pytest.fixture
def proxy() -> Iterator[ConnectProxy]:
    with closing(ConnectProxy()) as proxy:
        yield proxy


def test_a_proxy_of_the_file_is_used_and_hears_no_token(
    connect_to: ConnectTo, write_kubeconfig: Write, control_plane: ControlPlane, proxy: ConnectProxy
) -> None:
    client = connect_to(write_kubeconfig({"token": control_plane.token}, **{"proxy-url": proxy.url}))

    version = client.raw_get("/version")

    assert b"gitVersion" in version
    assert len(proxy.heads) == 1
    assert proxy.heads[0].startswith(f"CONNECT {control_plane.url.removeprefix('https://')} HTTP/1.1\r\n")
    assert control_plane.token not in proxy.heads[0]


def test_the_consent_of_a_proxy_is_not_the_head_of_a_watch(
    connect_to: ConnectTo, write_kubeconfig: Write, control_plane: ControlPlane, proxy: ConnectProxy
) -> None:
    client = connect_to(write_kubeconfig({"token": control_plane.token}, **{"proxy-url": proxy.url}))
    absent = ResourceType(GroupVersionKind("example.com", "v1", "Nothing"), "nothings")
    chunks: list[bytes] = []

    with pytest.raises(NotFound):
        client.watch(
            absent, "", {}, on_chunk=chunks.append, cancellation=Cancellation(ThreadRuntime()), timeouts=Timeouts()
        )

    assert chunks == []


def test_a_proxy_of_the_environment_is_not_used_for_this_machine(
    connect_to: ConnectTo, control_plane: ControlPlane, proxy: ConnectProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.url)
    monkeypatch.setenv("https_proxy", proxy.url)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)

    connect_to(control_plane.kubeconfig).raw_get("/version")

    assert proxy.heads == []
