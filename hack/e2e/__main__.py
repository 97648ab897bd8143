"""Run the chart on a real node of this machine: a kubelet and containerd run the image that is built here.

python -m hack.e2e    exits 0 if all steps are fine, 1 if one is not; skips by name what this machine cannot do

Needs root, some programs (it names those that are missing) and `make control-plane`. Everything is on this machine
alone: the servers listen on loopback, pods have a bridge of their own. What it changes it puts back at the end.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from framework.clock import SystemClock
from framework.testing.control_plane import find_kubectl
from hack.e2e import images
from hack.e2e.cluster import control_plane, find_binaries
from hack.e2e.kubectl import Kubectl
from hack.e2e.machine import traces
from hack.e2e.network import Network
from hack.e2e.node import Node
from hack.e2e.programs import ensure_kubelet, ensure_pause, missing
from hack.e2e.steps import Failure, Steps

CLOCK = SystemClock()
T = TypeVar("T")


def main() -> int:
    reasons = missing()
    binaries, kubectl = find_binaries(os.environ), find_kubectl(os.environ)
    if binaries is None or kubectl is None:
        reasons.append("a real control plane: make control-plane")
    if reasons or binaries is None or kubectl is None:
        print(f"e2e: SKIPPED, this machine lacks {'; '.join(reasons)}")
        return 0
    # Short: the path of a socket may have 107 characters.
    folder = Path(tempfile.mkdtemp(prefix="wl-e2e-"))
    before = traces()
    try:
        code = run(folder, binaries, kubectl)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if traces() != before:
        print(f"e2e: FAILED: the machine is not as before: {sorted(traces() ^ before)}", file=sys.stderr)
        return 1
    print(f"e2e: the machine is as before; {'all is fine' if code == 0 else 'the run has failed'}")
    return code


def run(folder: Path, binaries: Path, kubectl: Path) -> int:
    kubelet = step("kubelet is built", ensure_kubelet)
    step("pause image is built", lambda: images.ensure_pause_image(ensure_pause()))
    step("base image is there", images.ensure_base)
    step("image is built", images.build_image)
    step("image is small enough", small_enough)
    for image, name in ((images.PAUSE, "pause"), (images.IMAGE, "windlass")):
        images.save(image, folder / f"{name}.tar")
    with control_plane(binaries, folder / "plane") as plane:
        port = int(plane.url.rpartition(":")[2])
        with Network(port), Node(folder / "node", kubelet, plane.kubeconfig) as node:
            for name in ("pause", "windlass"):
                node.load(folder / f"{name}.tar")
            node.start_kubelet()
            helm = Path(
                shutil.which("helm", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}") or "helm"
            )
            steps = Steps(Kubectl(kubectl, plane.kubeconfig), Kubectl(helm, plane.kubeconfig), node)
            try:
                return see(steps)
            except (Failure, RuntimeError) as error:
                print(f"e2e: FAILED: {error}\n{steps.why()}", file=sys.stderr)
                return 1


def see(steps: Steps) -> int:
    step("node becomes ready", steps.node_becomes_ready)
    step("release is installed, in a namespace for restricted pods", steps.release_is_installed)
    step("flow completes inside the cluster", steps.flow_completes)
    step("containers are confined", steps.containers_are_confined)
    step("metrics are guarded", steps.metrics_are_guarded)
    step("killed process is restarted, the flow goes on", steps.killed_process_is_restarted_and_the_flow_goes_on)
    step("deleted pod is replaced, the flow goes on", steps.deleted_pod_is_replaced_and_the_flow_goes_on)
    step("upgrade rolls out, a failing one goes back", steps.upgrade_rolls_out_and_failing_one_goes_back)
    step("release is removed", steps.release_is_removed)
    print("e2e: SKIPPED: helm test, which needs DNS and services in the cluster")
    return 0


def small_enough() -> str:
    size = images.compressed_megabytes(images.IMAGE)
    if size > 150:  # noqa: PLR2004 - the limit that the image is to keep
        raise Failure(f"the image has {size:.0f} MB to pull, more than 150")
    return f"{size:.0f} MB to pull"


def step(name: str, act: Callable[[], T]) -> T:
    begin = CLOCK.monotonic()
    found = act()
    about = f": {found}" if isinstance(found, str) else ""
    print(f"e2e: {CLOCK.monotonic() - begin:5.1f} s  {name}{about}", flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
