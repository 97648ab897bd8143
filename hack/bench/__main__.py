"""`make bench`: Windlass beside the `kubernetes` package and kopf, on one real API server, in one run."""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from framework.clock import SystemClock
from framework.errors import WindlassError
from framework.testing.control_plane import ControlPlane, ControlPlaneError, find_binaries
from hack.bench import report
from hack.bench.arena import NAMESPACE, Arena
from hack.bench.contestant import ContestantError
from hack.bench.entrants import ENTRANTS, Entrant, of_checkout
from hack.bench.measures import Sizes, reconciles, saturated, sync_and_live, trial_of_the_packages_informer
from hack.bench.results import median_of
from hack.bench.targets import judge

QUICK = Sizes(objects=2_000, live_events=500, reconciles=200)
MEASURES = ("watch", "saturated", "reconcile")


class Run:
    """Collects what the contestants reach; one that fails is noted and does not stop the others."""

    def __init__(self, arena: Arena, sizes: Sizes, wanted: Sequence[str], entrants: Sequence[Entrant]) -> None:
        self._arena = arena
        self._sizes = sizes
        self._wanted = wanted
        self._entrants = entrants
        self._clock = SystemClock()
        self._started = self._clock.monotonic()
        self._measured: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
        self.notes: list[str] = []

    def prepare(self) -> None:
        self._say(f"making {self._sizes.objects} objects of about {self._sizes.kib:g} KiB")
        self._arena.populate(NAMESPACE, self._sizes.objects, kib=self._sizes.kib)
        self._say(f"recording {self._sizes.objects} events")
        self._arena.record(self._sizes.objects)
        trial = trial_of_the_packages_informer(self._arena, self._sizes)
        self.notes.append(f"kubernetes {version('kubernetes')}: its SharedInformer {trial}")

    def round(self, number: int) -> None:
        # Another one first in each round: who comes first meets a server that is still busy with what was before.
        first = (number - 1) % len(self._entrants)
        for entrant in (*self._entrants[first:], *self._entrants[:first]):
            for measure in (each for each in self._wanted if entrant.takes_part_in(each)):
                self._say(f"round {number}: {measure}: {entrant.name}")
                try:
                    self._measure(measure, entrant, number)
                except (ContestantError, WindlassError) as error:
                    self.notes.append(f"{entrant.name}, {measure}: {error}")

    def medians(self) -> dict[str, dict[str, Any]]:
        return {
            measure: {who: median_of(rounds) for who, rounds in found.items()}
            for measure, found in self._measured.items()
        }

    def _measure(self, measure: str, entrant: Entrant, number: int) -> None:
        if measure == "watch":
            sync, live = sync_and_live(self._arena, entrant, self._sizes)
            self._measured["sync"][entrant.name].append(sync)
            self._measured["live"][entrant.name].append(live)
        elif measure == "saturated":
            self._measured["saturated"][entrant.name].append(saturated(self._arena, entrant, self._sizes))
        else:
            namespace = f"reconcile-{self._entrants.index(entrant)}-{number}"
            found = reconciles(self._arena, entrant, self._sizes, namespace)
            self._measured["reconcile"][entrant.name].append(found)

    def _say(self, text: str) -> None:
        print(f"bench: {self._clock.monotonic() - self._started:4.0f} s  {text}", file=sys.stderr, flush=True)


def main() -> int:
    options = parse_options()
    # Whatever ends the bench must unwind, so that the control plane ends too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"bench: gave up after {options.limit_minutes} minutes"))
    signal.alarm(options.limit_minutes * 60)
    try:
        return measure(options)
    except (ControlPlaneError, ContestantError, WindlassError, OSError, subprocess.SubprocessError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="hack/bench/run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything, to try it out")
    parser.add_argument("--object-kib", type=float, default=1.0, help="size of an object; 5 for the large variant")
    parser.add_argument("--rounds", type=int, default=1, help="repeat all, and report medians")
    parser.add_argument("--measure", action="append", choices=MEASURES, help="only this one; may be repeated")
    parser.add_argument(
        "--contestant", action="append", choices=[each.name for each in ENTRANTS], help="only this one; may be repeated"
    )
    parser.add_argument(
        "--beside", action="append", default=[], metavar="FOLDER", help="another checkout of Windlass takes part, too"
    )
    parser.add_argument("--reconciles", type=int, metavar="NUMBER", help="so many objects to reconcile")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there, too")
    parser.add_argument("--limit-minutes", type=int, default=60, help="give up after so long")
    return parser.parse_args()


def measure(options: argparse.Namespace) -> int:
    binaries = find_binaries(os.environ)
    if binaries is None:
        raise ControlPlaneError("no Kubernetes binaries are built; run `make control-plane` first")
    sizes = msgspec.structs.replace(QUICK if options.quick else Sizes(), kib=options.object_kib)
    if options.reconciles:
        sizes = msgspec.structs.replace(sizes, reconciles=options.reconciles)
    entrants = [each for each in ENTRANTS if not options.contestant or each.name in options.contestant]
    entrants += [of_checkout(folder) for folder in options.beside]
    with (
        tempfile.TemporaryDirectory(prefix="windlass-bench-", ignore_cleanup_errors=True) as folder,
        ControlPlane(binaries, Path(folder)) as plane,
    ):
        arena = Arena(plane, Path(folder))
        arena.install(binaries / "kubectl")
        run = Run(arena, sizes, options.measure or MEASURES, entrants)
        run.prepare()
        for number in range(1, options.rounds + 1):
            run.round(number)
    publish(run, sizes, options)
    return 0


def publish(run: Run, sizes: Sizes, options: argparse.Namespace) -> None:
    measured = run.medians()
    judged = judge(measured)
    conditions = {**msgspec.to_builtins(sizes), "rounds": options.rounds, "versions": versions()}
    print(f"\n{conditions}\n")
    print(report.tables(measured))
    print(f"\n{report.verdicts(judged)}")
    for note in run.notes:
        print(f"\nnote: {note}")
    if options.json:
        whole = {"conditions": conditions, "measures": measured, "targets": judged, "notes": run.notes}
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(whole)) + b"\n")


def versions() -> dict[str, str]:
    return {name: version(name) for name in ("windlass", "kubernetes", "kopf")}


if __name__ == "__main__":
    sys.exit(main())
