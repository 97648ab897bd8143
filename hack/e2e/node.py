"""A real node: containerd and a kubelet as processes of this machine, in a folder of their own."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import yaml

from framework.testing.control_plane.ports import free_port
from framework.testing.control_plane.processes import Processes
from framework.testing.control_plane.waiting import wait_until
from hack.e2e.images import PAUSE
from hack.e2e.machine import FOLDERS
from hack.e2e.network import GATEWAY, Network
from hack.e2e.programs import CNI_PLUGINS

NAME = "e2e"
_CGROUPS = Path("/sys/fs/cgroup")
_HAS_CGROUP_V2 = (_CGROUPS / "cgroup.controllers").exists()


class Node:
    """*folder* is short, as sockets are in it, and all of it goes at the end."""

    def __init__(self, folder: Path, kubelet: Path, kubeconfig: Path) -> None:
        self._folder = folder
        self._kubelet = kubelet
        self._kubeconfig = kubeconfig
        self._processes = Processes(folder)
        self._socket = folder / "c.sock"
        self._had_cgroups = bool(list(_cgroups()))
        self._network_namespaces = _network_namespaces()
        self._new_folders = [path for path in FOLDERS if not path.exists()]

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        Network.write_cni(self._folder / "cni", self._folder / "addresses")
        (self._folder / "containerd.toml").write_text(self._containerd_config())
        self._processes.start("containerd", ["containerd", "--config", str(self._folder / "containerd.toml")])
        self._processes.wait_for("containerd", lambda: self._ctr("version").returncode == 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._processes.stop("kubelet", signal.SIGTERM)
        self._end_containers()
        self._processes.stop_all(signal.SIGTERM)
        self._end_shims()
        self._unmount()
        for name in _network_namespaces() - self._network_namespaces:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)
        if not self._had_cgroups:
            _remove_cgroups()
        for path in (self._folder, *self._new_folders):
            shutil.rmtree(path, ignore_errors=True)

    def load(self, archive: Path) -> None:
        done = self._ctr("--namespace", "k8s.io", "images", "import", str(archive))
        if done.returncode != 0:
            raise RuntimeError(f"ctr images import failed: {done.stderr.strip()}")

    def start_kubelet(self) -> None:
        config = self._folder / "kubelet.yaml"
        config.write_text(yaml.safe_dump(self._kubelet_config()))
        self._processes.start(
            "kubelet",
            [
                str(self._kubelet),
                f"--config={config}",
                f"--kubeconfig={self._kubeconfig}",
                f"--root-dir={self._folder / 'kubelet'}",
                f"--cert-dir={self._folder / 'pki'}",
                f"--hostname-override={NAME}",
                f"--node-ip={GATEWAY}",
            ],
        )

    def main_process(self, pod_uid: str) -> int:
        """The pid of the one container of a pod that is not its pause container."""
        listed = self._ctr("--namespace", "k8s.io", "tasks", "list").stdout.splitlines()[1:]
        for line in listed:
            container, pid, _ = line.split()
            about = json.loads(self._ctr("--namespace", "k8s.io", "containers", "info", container).stdout)
            labels = about["Labels"]
            is_container = labels.get("io.cri-containerd.kind") == "container"
            if is_container and labels.get("io.kubernetes.pod.uid") == pod_uid:
                return int(pid)
        raise RuntimeError(f"pod {pod_uid} has no container that runs")

    def log(self, name: str) -> str:
        return (self._folder / f"{name}.log").read_text()

    def _ctr(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["ctr", "--address", str(self._socket), *arguments], capture_output=True, text=True, check=False
        )

    def _containerd_config(self) -> str:
        folder = self._folder
        return f"""
version = 2
root = "{folder}/containers"
state = "{folder}/run"
[grpc]
  address = "{self._socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{PAUSE}"
  # Lower values may be forbidden here.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{CNI_PLUGINS}"
    conf_dir = "{folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
"""

    def _kubelet_config(self) -> dict[str, object]:
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "address": "127.0.0.1",
            "port": free_port(),
            "healthzPort": 0,
            "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": False}},
            "authorization": {"mode": "AlwaysAllow"},
            "containerRuntimeEndpoint": f"unix://{self._socket}",
            "cgroupDriver": "cgroupfs",
            "failCgroupV1": False,
            "failSwapOn": False,
            "enforceNodeAllocatable": [],
            # Images are loaded, never pulled.
            "imagePullCredentialsVerificationPolicy": "NeverVerify",
            "podLogsDir": str(self._folder / "logs"),
            "volumePluginDir": str(self._folder / "plugins"),
            # The machine is shared, and may be rather full.
            "evictionHard": {"memory.available": "10Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
            "nodeStatusUpdateFrequency": "2s",
            # Rules of its own would stay in the machine.
            "makeIPTablesUtilChains": False,
        }

    def _end_containers(self) -> None:
        """What the kubelet has left: after it was told to delete all pods, nothing."""
        for line in self._ctr("--namespace", "k8s.io", "tasks", "list").stdout.splitlines()[1:]:
            container, pid, _ = line.split()
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
            self._ctr("--namespace", "k8s.io", "tasks", "delete", "--force", container)

    def _end_shims(self) -> None:
        for pid, command in _processes():
            if str(self._socket) in command and "containerd-shim" in command:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def _unmount(self) -> None:
        def mounted() -> list[str]:
            lines = Path("/proc/self/mounts").read_text().splitlines()
            return [line.split()[1] for line in lines if line.split()[1].startswith(f"{self._folder}/")]

        def try_again() -> bool:
            for place in sorted(mounted(), key=len, reverse=True):
                subprocess.run(["umount", "--lazy", place], capture_output=True, check=False)
            return not mounted()

        wait_until(try_again, limit_seconds=10)


def _processes() -> Iterator[tuple[int, str]]:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield int(folder.name), (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")


def _network_namespaces() -> set[str]:
    folder = Path("/run/netns")
    return {path.name for path in folder.glob("cni-*")} if folder.is_dir() else set()


def _cgroups() -> Iterator[Path]:
    parents = [_CGROUPS] if _HAS_CGROUP_V2 else [path for path in _CGROUPS.iterdir() if path.is_dir()]
    return (parent / "kubepods" for parent in parents if (parent / "kubepods").is_dir())


def _remove_cgroups() -> None:
    for top in list(_cgroups()):
        for folder in sorted((path for path in top.rglob("*") if path.is_dir()), key=lambda path: -len(path.parts)):
            with suppress(OSError):
                folder.rmdir()
        with suppress(OSError):
            top.rmdir()
