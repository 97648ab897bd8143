"""Where the binaries of a control plane are."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

# Only a checkout has it; an installed package looks for what some checkout built last.
_BUILD_SCRIPT = Path(__file__).resolve().parents[3] / "hack" / "control-plane" / "build"


def find_binaries(env: Mapping[str, str]) -> Path | None:
    """Return the folder that holds at least etcd and kube-apiserver, or None; build nothing.

    KUBEBUILDER_ASSETS comes first, so that one can test against another version of Kubernetes.
    """
    candidates = [_cached(env)]
    if assets := env.get("KUBEBUILDER_ASSETS"):
        candidates.insert(0, Path(assets).absolute())
    return next((folder for folder in candidates if _is_usable(folder)), None)


def find_kubectl(env: Mapping[str, str]) -> Path | None:
    """Return the kubectl that belongs to the control plane, else the one in PATH, else None."""
    binaries = find_binaries(env)
    if binaries is not None and (binaries / "kubectl").is_file():
        return binaries / "kubectl"
    found = shutil.which("kubectl", path=env.get("PATH"))
    return Path(found) if found else None


def _is_usable(folder: Path) -> bool:
    return all((folder / name).is_file() for name in ("etcd", "kube-apiserver"))


def _cached(env: Mapping[str, str]) -> Path:
    if not _BUILD_SCRIPT.is_file():
        return _cache(env) / "control-plane" / "current"
    # The script alone knows the key of the current versions.
    command = [sys.executable, str(_BUILD_SCRIPT), "--print-folder"]
    return Path(subprocess.run(command, env=dict(env), capture_output=True, text=True, check=True).stdout.strip())


def _cache(env: Mapping[str, str]) -> Path:
    home = Path(env.get("XDG_CACHE_HOME") or Path(env.get("HOME") or Path.home()) / ".cache")
    return Path(env.get("WINDLASS_CACHE") or home / "windlass").absolute()
