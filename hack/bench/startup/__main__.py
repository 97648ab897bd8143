"""`make bench-startup`: from the start of a process to /readyz, with the command of the chart on a real API server."""

import argparse
import http.client
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
import yaml

from controllers.definitions import install_crds
from framework.client import connect, from_kubeconfig
from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlane, ControlPlaneError, find_binaries
from framework.testing.control_plane.ports import free_port
from hack.bench.processes import cpu_seconds

ROOT = Path(__file__).resolve().parents[3]
BIN = ROOT / ".venv" / "bin"
LIMIT_SECONDS = 60.0
# Of the median until it is ready.
TARGET_SECONDS = 2.0
_LOOK_SECONDS = 0.005


class Start(msgspec.Struct, frozen=True):
    """Of one process, in seconds."""

    alive: float
    ready: float
    # Of the process, when it was ready.
    cpu: float


def command_of_the_chart(helm: Path, health_port: int, folder: Path) -> list[str]:
    """The container's of the manager, with every controller that needs no settings."""
    flags = [
        "--set=manager.enabled=true,manager.controllers={laf,peerpods}",
        f"--set=manager.ports.health={health_port},manager.ports.metrics={free_port()}",
    ]
    rendered = subprocess.run(
        [str(helm), "template", "windlass", str(ROOT / "charts" / "windlass"), "--namespace=default", *flags],
        env={"HOME": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    documents: list[dict[str, Any]] = [each for each in yaml.safe_load_all(rendered) if each]
    (deployment,) = [
        each for each in documents if each["kind"] == "Deployment" and each["metadata"]["name"].endswith("-manager")
    ]
    arguments: list[str] = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
    return arguments


def measured(program: Path, arguments: Sequence[str], environment: Mapping[str, str], port: int) -> Start:
    clock = SystemClock()
    began = clock.monotonic()
    process = subprocess.Popen(
        [str(program), *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        seen = dict.fromkeys(("/healthz", "/readyz"), 0.0)
        for path in seen:
            while not _is_ok(port, path):
                if process.poll() is not None or clock.monotonic() - began > LIMIT_SECONDS:
                    raise RuntimeError(f"{program.name} is not ready: {' '.join(arguments)}")
                clock.wait(_LOOK_SECONDS)
            seen[path] = clock.monotonic() - began
        return Start(seen["/healthz"], seen["/readyz"], cpu_seconds(process.pid))
    finally:
        # As a pod ends: its Lease is free for the next one.
        process.terminate()
        process.wait()


def _is_ok(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.client.OK
    except OSError:
        return False
    finally:
        connection.close()


def report(starts: Sequence[Start]) -> str:
    def line(name: str, values: Sequence[float]) -> str:
        return f"| {name} | {median(values):.2f} | {min(values):.2f} | {max(values):.2f} |"

    rows = [
        line("s until it is alive", [each.alive for each in starts]),
        line("s until it is ready", [each.ready for each in starts]),
        line("CPU s of the process by then", [each.cpu for each in starts]),
    ]
    return "\n".join([f"| {len(starts)} starts | median | least | most |", "|---|---|---|---|", *rows])


def run(options: argparse.Namespace, binaries: Path) -> int:
    with tempfile.TemporaryDirectory() as name, ControlPlane(binaries, Path(name) / "plane") as plane:
        client = connect(from_kubeconfig(str(plane.kubeconfig), clock=SystemClock()))
        install_crds(client)
        client.connection.close()
        port = free_port()
        arguments = command_of_the_chart(BIN / "helm", port, Path(name))
        environment = {
            **{key: value for key, value in os.environ.items() if key != "KUBERNETES_SERVICE_HOST"},
            "KUBECONFIG": str(plane.kubeconfig),
            "WINDLASS_DEBUG_BIND_ADDRESS": "0",
        }
        # The first start of all compiles, which the image has behind it.
        starts = [measured(options.program, arguments, environment, port) for _ in range(options.starts + 1)][1:]
        print(report(starts))
        reached = median(each.ready for each in starts)
        is_met = reached <= TARGET_SECONDS
        print(f"median until it is ready ≤ {TARGET_SECONDS:g} s: {reached:.2f}, {'met' if is_met else 'not met'}")
        return int(not is_met)


def main() -> int:
    parser = argparse.ArgumentParser(prog="hack/bench/startup/run", description=__doc__)
    parser.add_argument("--starts", type=int, default=7)
    parser.add_argument(
        "--program", type=Path, default=BIN / "windlass", help="of an environment without other packages"
    )
    binaries = find_binaries(os.environ)
    if binaries is None:
        print("bench: needs a real Kubernetes: make control-plane", file=sys.stderr)
        return 1
    try:
        return run(parser.parse_args(), binaries)
    except (ControlPlaneError, RuntimeError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
