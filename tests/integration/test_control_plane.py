"""What the test kit promises about a real control plane; see framework/testing/control_plane."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlane, ControlPlaneError, control_plane, find_binaries, ports
from framework.testing.control_plane.waiting import wait_until

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = REPOSITORY / "hack" / "control-plane" / "build"
CLUSTER = REPOSITORY / "hack" / "cluster"

START_AND_PAUSE = """
import json, os, signal, sys
from pathlib import Path
from framework.testing.control_plane import ControlPlane

with ControlPlane(Path(sys.argv[1]), Path(sys.argv[2])) as plane:
    fork = os.fork()
    if fork:
        print(json.dumps({"fork": fork, "servers": list(plane.pids.values())}), flush=True)
    signal.pause()
"""


@pytest.fixture(scope="module")
def plane(binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with ControlPlane(binaries, tmp_path_factory.mktemp("plane")) as started:
        yield started


def test_assets_of_kubebuilder_come_before_the_cache(tmp_path: Path) -> None:
    assets = with_servers(tmp_path / "assets")
    with_servers(printed_folder(tmp_path))

    found = find_binaries({"KUBEBUILDER_ASSETS": str(assets), "WINDLASS_CACHE": str(tmp_path)})

    assert found == assets


def test_assets_without_an_apiserver_are_passed_over(tmp_path: Path) -> None:
    assets = with_servers(tmp_path / "assets")
    (assets / "kube-apiserver").unlink()
    cached = with_servers(printed_folder(tmp_path))

    found = find_binaries({"KUBEBUILDER_ASSETS": str(assets), "WINDLASS_CACHE": str(tmp_path)})

    assert found == cached


def test_nothing_is_found_in_an_empty_cache(tmp_path: Path) -> None:
    assert find_binaries({"WINDLASS_CACHE": str(tmp_path)}) is None


def test_server_knows_its_version(plane: ControlPlane) -> None:
    version = get(plane, "/version")

    assert version["gitVersion"].startswith(f"v{version['major']}.{version['minor']}.")
    assert version["major"] == "1"


def test_admin_may_do_everything(plane: ControlPlane, binaries: Path) -> None:
    assert can(binaries, plane.kubeconfig, "delete", "nodes")


def test_user_without_rights_is_known_but_may_do_nothing(plane: ControlPlane, binaries: Path) -> None:
    kubeconfig = plane.kubeconfig_for("nobody")

    assert whoami(binaries, kubeconfig) == ("nobody", ["system:authenticated"])
    assert not can(binaries, kubeconfig, "get", "configmaps")


def test_anybody_can_be_impersonated(plane: ControlPlane, binaries: Path) -> None:
    kubeconfig = plane.kubeconfig_for("system:serviceaccount:default:x", ["cats", "dogs"])

    assert whoami(binaries, kubeconfig) == (
        "system:serviceaccount:default:x",
        ["cats", "dogs", "system:authenticated"],
    )


def test_client_certificate_names_user_and_groups(plane: ControlPlane, binaries: Path) -> None:
    if not (binaries / "pki").is_file():
        pytest.skip("these binaries cannot issue certificates")

    issued = plane.client_certificate("carol", ["cats"])

    assert whoami(binaries, issued.kubeconfig) == ("carol", ["cats", "system:authenticated"])


def test_second_start_uses_other_ports(plane: ControlPlane, binaries: Path, tmp_path: Path) -> None:
    kubectl(binaries, plane.kubeconfig, "create", "namespace", "only-in-the-first")

    with ControlPlane(binaries, tmp_path) as second:
        assert second.url != plane.url
        assert "only-in-the-first" in namespaces(plane)
        assert "only-in-the-first" not in namespaces(second)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_apiserver_restart_keeps_objects_and_port(binaries: Path, tmp_path: Path, how: signal.Signals) -> None:
    with ControlPlane(binaries, tmp_path) as plane:
        url, pids = plane.url, plane.pids
        kubectl(binaries, plane.kubeconfig, "create", "namespace", "kept")

        plane.restart_apiserver(how)

        assert plane.url == url
        assert plane.pids["etcd"] == pids["etcd"]
        assert plane.pids["kube-apiserver"] != pids["kube-apiserver"]
        assert "kept" in namespaces(plane)


def test_stopped_apiserver_refuses_connections_until_it_is_restarted(binaries: Path, tmp_path: Path) -> None:
    with ControlPlane(binaries, tmp_path) as plane:
        plane.stop_apiserver(signal.SIGKILL)

        with pytest.raises(ConnectionRefusedError):
            get(plane, "/version")
        plane.restart_apiserver()
        assert get(plane, "/version")["major"] == "1"


def test_open_watch_does_not_hold_up_the_end_of_the_apiserver(binaries: Path, tmp_path: Path) -> None:
    clock = SystemClock()
    with ControlPlane(binaries, tmp_path) as plane, requested(plane, "/api/v1/namespaces?watch=true") as watch:
        started = clock.monotonic()

        plane.stop_apiserver()

        assert clock.monotonic() - started < 15
        watch.read()


def test_start_after_stop_continues_with_the_same_objects_at_the_same_address(binaries: Path, tmp_path: Path) -> None:
    with ControlPlane(binaries, tmp_path) as plane:
        url = plane.url
        kubectl(binaries, plane.kubeconfig, "create", "namespace", "kept")
        plane.stop()

        plane.start()

        assert plane.url == url
        assert "kept" in namespaces(plane)


def test_taken_port_is_replaced_by_another(binaries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        taken_port = taken.getsockname()[1]
        # The first two are for etcd, the third is the first attempt of the API server.
        offers = iter([ports.free_port(), ports.free_port(), taken_port])
        monkeypatch.setattr(control_plane, "free_port", lambda: next(offers, None) or ports.free_port())

        with ControlPlane(binaries, tmp_path) as plane:
            assert not plane.url.endswith(f":{taken_port}")


def test_failed_start_shows_the_log_and_leaves_nothing_running(binaries: Path, tmp_path: Path) -> None:
    plane = ControlPlane(binaries, tmp_path, extra_apiserver_args=["--no-such-flag"])

    with pytest.raises(ControlPlaneError, match=r"kube-apiserver ended by itself(.|\n)*unknown flag: --no-such-flag"):
        plane.start()

    assert plane.pids == {}


def test_processes_end_with_the_control_plane(binaries: Path, tmp_path: Path) -> None:
    with ControlPlane(binaries, tmp_path) as plane:
        family = with_guards(plane.pids.values())
        assert all(is_alive(pid) for pid in family)

    assert not any(is_alive(pid) for pid in family)


def test_processes_end_when_the_parent_is_killed(binaries: Path, tmp_path: Path) -> None:
    with started_and_paused(binaries, tmp_path) as (parent, fork, family):
        os.kill(fork, signal.SIGKILL)

        parent.kill()

        assert wait_until(lambda: not any(is_alive(pid) for pid in family), limit_seconds=30)


def test_processes_end_even_if_a_fork_of_the_parent_lives_on(binaries: Path, tmp_path: Path) -> None:
    with started_and_paused(binaries, tmp_path) as (parent, fork, family):
        parent.kill()

        assert wait_until(lambda: not any(is_alive(pid) for pid in family), limit_seconds=30)
        assert is_alive(fork)


def test_server_ends_when_its_guard_is_killed(binaries: Path, tmp_path: Path) -> None:
    with ControlPlane(binaries, tmp_path) as plane:
        etcd = plane.pids["etcd"]

        os.kill(parent_of(etcd), signal.SIGKILL)

        assert wait_until(lambda: not is_alive(etcd), limit_seconds=30)


def test_etcd_and_apiserver_alone_suffice(binaries: Path, tmp_path: Path) -> None:
    assets = tmp_path / "assets"
    assets.mkdir()
    for name in ("etcd", "kube-apiserver"):
        (assets / name).symlink_to(binaries / name)

    with ControlPlane(assets, tmp_path / "plane") as plane:
        kubectl(binaries, plane.kubeconfig, "create", "serviceaccount", "robot")
        token = kubectl(binaries, plane.kubeconfig, "create", "token", "robot").strip()
        user, _ = whoami(binaries, plane.kubeconfig_for("robot", token=token))
        assert user == "system:serviceaccount:default:robot"
        with pytest.raises(ControlPlaneError, match="no client certificate without"):
            plane.client_certificate("carol")


def test_deployment_becomes_ready_on_a_node_of_kwok(binaries: Path, tmp_path: Path) -> None:
    if not all((binaries / name).is_file() for name in ("kube-controller-manager", "kube-scheduler", "kwok")):
        pytest.skip("these binaries are only etcd and kube-apiserver")

    with ControlPlane(binaries, tmp_path, controller_manager=True, scheduler=True, kwok_nodes=2) as plane:
        kubectl(binaries, plane.kubeconfig, "create", "deployment", "web", "--image=none", "--replicas=2")
        said = kubectl(binaries, plane.kubeconfig, "rollout", "status", "deployment/web", "--timeout=60s")

    assert "successfully rolled out" in said


def test_cluster_stays_up_until_it_is_taken_down(binaries: Path, tmp_path: Path) -> None:
    try:
        first = cluster("up", binaries, tmp_path)
        second = cluster("up", binaries, tmp_path)
        kubeconfig = Path(first.stdout.splitlines()[-1].removeprefix("export KUBECONFIG="))
        user, _ = whoami(binaries, kubeconfig)
        keeper = int((kubeconfig.parent / "keeper.pid").read_text())
    finally:
        ended = cluster("down", binaries, tmp_path)

    assert user == "admin"
    assert second.stdout.splitlines()[-1] == first.stdout.splitlines()[-1]
    assert ended.returncode == 0
    assert not is_alive(keeper)


def test_cluster_that_is_not_up_is_taken_down_without_complaint(binaries: Path, tmp_path: Path) -> None:
    ended = cluster("down", binaries, tmp_path)

    assert (ended.returncode, ended.stderr) == (0, "cluster: nothing is running\n")


def test_cluster_without_binaries_says_how_to_get_them(tmp_path: Path) -> None:
    failed = cluster("up", tmp_path, tmp_path)

    assert failed.returncode == 1
    assert failed.stderr == "cluster: no Kubernetes binaries are built; run `make control-plane` first\n"


def test_pid_of_somebody_else_is_not_ended(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"]) as stranger:
        (tmp_path / "cluster").mkdir()
        (tmp_path / "cluster" / "keeper.pid").write_text(f"{stranger.pid}\n")

        ended = cluster("down", tmp_path, tmp_path)

        assert ended.stderr == "cluster: nothing is running\n"
        assert stranger.poll() is None
        stranger.kill()


@contextlib.contextmanager
def started_and_paused(binaries: Path, folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], int, list[int]]]:
    """Yield a process that has started a control plane, a fork of it, and the pids of servers and guards."""
    command = [sys.executable, "-c", START_AND_PAUSE, str(binaries), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=REPOSITORY) as parent:
        assert parent.stdout is not None
        report = json.loads(parent.stdout.readline())
        family = with_guards(report["servers"])
        try:
            assert all(is_alive(pid) for pid in family)
            yield parent, report["fork"], family
        finally:
            parent.kill()
            with contextlib.suppress(ProcessLookupError):
                os.kill(report["fork"], signal.SIGKILL)


def with_servers(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "etcd").touch()
    (folder / "kube-apiserver").touch()
    return folder


def printed_folder(cache: Path) -> Path:
    environment = {**os.environ, "WINDLASS_CACHE": str(cache)}
    command = [sys.executable, str(BUILD), "--print-folder"]
    return Path(subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout.strip())


def cluster(command: str, binaries: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "WINDLASS_CACHE": str(cache), "KUBEBUILDER_ASSETS": str(binaries)}
    arguments = [sys.executable, str(CLUSTER), command]
    return subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)


def kubectl(binaries: Path, kubeconfig: Path, *arguments: str) -> str:
    done = run_kubectl(binaries, kubeconfig, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def can(binaries: Path, kubeconfig: Path, verb: str, resource: str) -> bool:
    return run_kubectl(binaries, kubeconfig, "auth", "can-i", verb, resource).stdout == "yes\n"


def run_kubectl(binaries: Path, kubeconfig: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = binaries / "kubectl"
    if not program.is_file():
        program = Path(shutil.which("kubectl") or pytest.skip("there is no kubectl"))
    # kubectl caches by address, and a port may have belonged to another control plane.
    command = [str(program), f"--kubeconfig={kubeconfig}", f"--cache-dir={kubeconfig.parent / 'cache'}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def whoami(binaries: Path, kubeconfig: Path) -> tuple[str, list[str]]:
    user = json.loads(kubectl(binaries, kubeconfig, "auth", "whoami", "--output=json"))["status"]["userInfo"]
    return user["username"], user["groups"]


def namespaces(plane: ControlPlane) -> set[str]:
    return {item["metadata"]["name"] for item in get(plane, "/api/v1/namespaces")["items"]}


def get(plane: ControlPlane, path: str) -> Any:
    with requested(plane, path) as response:
        assert response.status == 200
        return json.loads(response.read())


@contextlib.contextmanager
def requested(plane: ControlPlane, path: str) -> Iterator[http.client.HTTPResponse]:
    trusted = ssl.create_default_context(cafile=str(plane.ca_file))
    connection = http.client.HTTPSConnection(plane.url.removeprefix("https://"), context=trusted, timeout=30)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {plane.token}"})
        yield connection.getresponse()
    finally:
        connection.close()


def with_guards(pids: Iterable[int]) -> list[int]:
    servers = list(pids)
    return servers + [parent_of(pid) for pid in servers]


def parent_of(pid: int) -> int:
    return int(stat(pid)[1])


def is_alive(pid: int) -> bool:
    try:
        return stat(pid)[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def stat(pid: int) -> list[str]:
    # What follows the name, which may hold anything but ends with the last parenthesis.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
