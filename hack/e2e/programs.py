"""What this machine must have, and what is built for it: the kubelet and the pause program."""

import hashlib
import importlib.machinery
import importlib.util
import os
import subprocess
from pathlib import Path
from shutil import which
from types import ModuleType

HERE = Path(__file__).resolve().parent
CNI_PLUGINS = Path("/usr/lib/cni")
NEEDED = {
    "containerd": "containerd",
    "ctr": "containerd",
    "runc": "runc",
    "buildah": "buildah",
    "debootstrap": "debootstrap",
    "ip": "iproute2",
    "iptables": "iptables",
}
_KUBELET = "k8s.io/kubernetes/cmd/kubelet"


def missing() -> list[str]:
    """Why the run cannot be here, each with what to do about it; empty: it can."""
    reasons = [f"{name} (Debian: {package})" for name, package in NEEDED.items() if which(name) is None]
    if not (CNI_PLUGINS / "bridge").exists():
        reasons.append("the plugins of CNI (Debian: containernetworking-plugins)")
    if os.geteuid() != 0:
        reasons.append("to be root")
    elif not _can_make_links():
        reasons.append("the right to make network links and rules, which this sandbox does not give")
    return reasons


def _can_make_links() -> bool:
    link = f"wlx{os.getpid() % 100000}"
    made = subprocess.run(["ip", "link", "add", link, "type", "bridge"], capture_output=True, check=False)
    subprocess.run(["ip", "link", "del", link], capture_output=True, check=False)
    rules = subprocess.run(["iptables", "-t", "nat", "-S"], capture_output=True, check=False)
    return made.returncode == rules.returncode == 0


def control_plane_build() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("control_plane_build", str(HERE.parent / "control-plane" / "build"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None  # noqa: S101 - it is a file
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def ensure_kubelet() -> Path:
    """The kubelet of the same version as the control plane, from the same modules."""
    build = control_plane_build()
    return _ensure(build, "kubelet", build.build_key(), ["-ldflags", " ".join(build.link_flags()), _KUBELET])


def ensure_pause() -> Path:
    source = HERE / "pause.go"
    key = hashlib.sha256(source.read_bytes()).hexdigest()[:12]
    return _ensure(control_plane_build(), "pause", key, ["-ldflags", "-s -w", str(source)])


def _ensure(build: ModuleType, name: str, key: str, arguments: list[str]) -> Path:
    folder = build.cache_folder().parent / "node"
    binary: Path = folder / f"{name}-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    with build.build_lock(folder):
        if not binary.is_file():
            log = binary.with_suffix(".log")
            log.write_text("")
            half_built = binary.with_suffix(".building")
            go = build.find_go(folder.parent)
            build.run_go(go, ["build", *build.BUILD_FLAGS, "-o", str(half_built), *arguments], log)
            half_built.rename(binary)
    return binary
