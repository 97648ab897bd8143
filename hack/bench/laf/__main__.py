"""`make bench-laf`: Instances on many clusters, with one process of controllers, in one run."""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from framework.client import connect, from_kubeconfig
from framework.clock import SystemClock
from framework.errors import WindlassError
from framework.testing.control_plane import ControlPlane, ControlPlaneError, find_binaries
from framework.testing.control_plane.process import Process
from framework.testing.control_plane.waiting import wait_until
from hack.bench.apiserver.servers import compile_once
from hack.bench.arena import install_kinds
from hack.bench.laf import report
from hack.bench.laf.fleet import Fleet
from hack.bench.laf.measures import Measures
from hack.bench.laf.observer import BenchError, Observer
from hack.bench.laf.population import SYSTEM, Population
from hack.bench.laf.results import Found, judge, pooled
from hack.bench.laf.sizes import QUICK, Sizes
from hack.bench.report import verdicts

_WINDLASS = Path(sys.executable).with_name("windlass")
_CONTROLLERS = "cluster,instance"
_START_LIMIT_SECONDS = 60.0
_clock = SystemClock()
_begun = _clock.monotonic()


def main() -> int:
    options = parse_options()
    # Whatever ends the bench must unwind, so that the servers end too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"bench: gave up after {options.limit_minutes} minutes"))
    signal.alarm(options.limit_minutes * 60)
    binaries = find_binaries(os.environ)
    if binaries is None:
        print("bench: no Kubernetes binaries are built; run `make control-plane` first", file=sys.stderr)
        return 1
    sizes = QUICK if options.quick else Sizes()
    try:
        with tempfile.TemporaryDirectory(prefix="windlass-bench-", ignore_cleanup_errors=True) as folder:
            found = measure(binaries, Path(folder), sizes, options)
    except (BenchError, ControlPlaneError, WindlassError, OSError, subprocess.SubprocessError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    publish(found, sizes, options.json)
    return 0


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="hack/bench/laf/run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="little of everything, to try it out")
    parser.add_argument("--rounds", type=int, default=1, help="hang a cluster so often, and put the times together")
    parser.add_argument("--log", type=Path, metavar="FILE", help="keep what the controllers log there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there, too")
    parser.add_argument("--limit-minutes", type=int, default=45, help="give up after so long")
    return parser.parse_args()


def measure(binaries: Path, folder: Path, sizes: Sizes, options: argparse.Namespace) -> Found:
    compile_once(folder / "compiled")
    with Fleet(binaries, folder, sizes, say) as fleet:
        install_kinds(binaries / "kubectl", str(fleet.hub_plane.kubeconfig))
        # Under another name than the controllers, so that the record of the hub tells them apart.
        kubeconfig = fleet.hub_plane.kubeconfig_for("bench", ["system:masters"])
        client = connect(from_kubeconfig(str(kubeconfig), clock=_clock))
        population = Population(client, sizes)
        population.create_surroundings(fleet.remotes)
        say("starting the controllers")
        log = options.log or folder / "windlass.log"
        with running(fleet.hub_plane, sizes, log.absolute()) as controllers, Observer(client) as observer:
            measures = Measures(fleet, controllers, population, observer, sizes)
            try:
                return run(measures, sizes, options.rounds)
            except BenchError as error:
                raise BenchError(f"{error}\n{controllers.tail()}") from error


def run(measures: Measures, sizes: Sizes, rounds: int) -> Found:
    measures.wait_for_clusters()
    say(f"converge: {sizes.instances} Instances on {sizes.clusters} clusters")
    converged = measures.converge()
    say("quiet")
    quiet = measures.quiet()
    undisturbed, hanging = [], []
    for number in range(1, rounds + 1):
        say(f"round {number}: {sizes.changes} changes, all clusters answer")
        undisturbed.append(measures.undisturbed())
        say(f"round {number}: {sizes.changes} changes, one cluster hangs")
        hanging.append(measures.hanging())
    return Found(converged=converged, quiet=quiet, undisturbed=pooled(undisturbed), hanging=pooled(hanging))


@contextmanager
def running(hub: ControlPlane, sizes: Sizes, log: Path) -> Iterator[Process]:
    """The controllers, once they lead."""
    flags = (
        "-mode=manager",
        f"-controllers={_CONTROLLERS}",
        f"-kubeconfig={hub.kubeconfig}",
        f"-system-namespace={SYSTEM}",
        f"-probe-period={sizes.probe_seconds:g}s",
        "-debug-bind-address=0",
    )
    process = Process("windlass", [str(_WINDLASS), *flags], log=log)
    try:
        if not wait_until(lambda: '"leading"' in process.output(), limit_seconds=_START_LIMIT_SECONDS):
            raise BenchError(f"the controllers do not start\n{process.tail()}")
        yield process
    finally:
        process.stop(signal.SIGTERM)


def publish(found: Found, sizes: Sizes, file: Path | None) -> None:
    judged = judge(found, sizes)
    print(f"\n{msgspec.to_builtins(sizes)}\n\n{report.tables(found, sizes)}\n\n{verdicts(judged)}")
    if file is not None:
        whole = {"sizes": sizes, "found": found, "targets": judged}
        file.write_bytes(msgspec.json.format(msgspec.json.encode(whole)) + b"\n")


def say(text: str) -> None:
    print(f"bench: {_clock.monotonic() - _begun:4.0f} s  {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
