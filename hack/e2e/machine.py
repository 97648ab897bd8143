"""What the run changes of the machine that it is on, and whether all of it is as before."""

import subprocess
from pathlib import Path

# The kubelet, CNI and containerd set these for the whole machine.
SETTINGS = ("vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops", "net/ipv4/ip_forward")
# Places that they do not let one choose.
FOLDERS = tuple(map(Path, ("/run/containerd", "/var/lib/cni", "/var/lib/kubelet")))
_CGROUPS = Path("/sys/fs/cgroup")
# In the path of what is mounted for pods.
_OF_PODS = ("/wl-e2e-", "/run/netns/", "/var/lib/kubelet/", "/run/containerd/")


def traces() -> frozenset[str]:
    """Everything of the sort that a node leaves; others of this machine may go on with theirs."""
    return frozenset(
        {
            *(f"{name} is {Path('/proc/sys', name).read_text().strip()}" for name in SETTINGS),
            *(f"{folder} is there" for folder in FOLDERS if folder.exists()),
            *(f"link {path.name}" for path in Path("/sys/class/net").iterdir() if _is_link_of_pods(path.name)),
            *(f"rule {line}" for line in _output("iptables", "-t", "nat", "-S") if line.startswith("-A")),
            *(f"mount {place}" for place in _mounts() if any(each in place for each in _OF_PODS)),
            *(f"cgroup {path}" for path in (*_CGROUPS.glob("kubepods"), *_CGROUPS.glob("*/kubepods"))),
            *(f"process {name}" for name in _output("ps", "-eo", "comm=") if name in {"kubelet", "containerd-shim"}),
        }
    )


def _is_link_of_pods(name: str) -> bool:
    return name.startswith(("veth", "windlass-"))


def _mounts() -> list[str]:
    return [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]


def _output(*command: str) -> list[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
