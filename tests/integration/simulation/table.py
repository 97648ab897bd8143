"""Replays some plans of every sort on a real control plane, and prints what both have said: `make replay`.

Arguments are the names of scenarios and mutants; without any, all are replayed.
"""

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from framework.testing.control_plane import ControlPlane, find_binaries
from framework.testing.replay import CONTROLLERS
from framework.testing.simulation import Simulation
from tests.integration.simulation.selection import classes_of, some_of_every_sort, sort_of
from tests.integration.simulation.subjects import LANES, MUTANT_LANES, mutant_recipe_of, mutants, recipe_of
from tests.integration.simulation.trials import Prepared, Trial, prepare, prepare_mutant, replay, replay_until_caught
from tests.simulation.scenarios import SCENARIOS

DEFAULT_PLANS = 2


def main() -> int:
    binaries = find_binaries(os.environ)
    if binaries is None:
        print("needs a real Kubernetes: run `make control-plane`, or let KUBEBUILDER_ASSETS point to one")  # noqa: T201 - for a person
        return 1
    with tempfile.TemporaryDirectory() as folder:
        lanes = _prepared(Path(folder), int(os.environ.get("PLANS") or DEFAULT_PLANS), frozenset(sys.argv[1:]))
        with ControlPlane(binaries, Path(folder, "plane"), controller_manager=True, controllers=CONTROLLERS) as plane:
            trials = _replayed(lanes, plane)
    is_good = _tell([trial for trial in trials if trial.subject in SCENARIOS])
    return 0 if _tell_mutants([trial for trial in trials if trial.subject not in SCENARIOS]) and is_good else 1


def _prepared(folder: Path, plans: int, only: frozenset[str]) -> list[list[Prepared]]:
    def chosen(names: Sequence[str]) -> list[str]:
        return [name for name in names if not only or name in only]

    return [
        [*_scenarios(chosen(lane), folder, plans), *_mutants(chosen(mutant_lane), folder)]
        for lane, mutant_lane in zip(LANES, MUTANT_LANES, strict=True)
    ]


def _scenarios(names: Sequence[str], folder: Path, plans: int) -> Iterator[Prepared]:
    for name in names:
        place = _new(folder, name)
        simulation = Simulation(SCENARIOS[name](place))
        print(f"simulating {name}", flush=True)  # noqa: T201 - for a person
        yield prepare(name, simulation, recipe_of(name), some_of_every_sort(simulation.plans(), plans), place)


def _mutants(names: Sequence[str], folder: Path) -> Iterator[Prepared]:
    for name in names:
        print(f"hunting {name}", flush=True)  # noqa: T201 - for a person
        yield prepare_mutant(mutants()[name], mutant_recipe_of(name), _new(folder, name))


def _new(folder: Path, name: str) -> Path:
    place = folder / name
    place.mkdir()
    return place


def _replayed(lanes: Sequence[Sequence[Prepared]], plane: ControlPlane) -> list[Trial]:
    def replay_lane(lane: Sequence[Prepared]) -> list[Trial]:
        trials = []
        for prepared in lane:
            for trial in (
                replay(prepared, plane) if prepared.name in SCENARIOS else replay_until_caught(prepared, plane)
            ):
                trials.append(trial)
                print(trial.line, flush=True)  # noqa: T201 - it takes minutes
        return trials

    with ThreadPoolExecutor(len(lanes)) as pool:
        return [trial for trials in pool.map(replay_lane, lanes) for trial in trials]


def _tell(trials: Sequence[Trial]) -> bool:
    by_sort: dict[str, list[Trial]] = {}
    for trial in trials:
        by_sort.setdefault(sort_of(trial.plan) or "no fault", []).append(trial)
    print(f"{'deed':<22} {'classes':<14} {'plans':>5} {'not met':>7} {'embedded':>9} {'real':>9}")  # noqa: T201 - a table for a person
    for sort, of_a_sort in sorted(by_sort.items()):
        missed = sum(trial.is_missed for trial in of_a_sort)
        embedded = _survived([trial.embedded for trial in of_a_sort])
        real = _survived([trial.real for trial in of_a_sort])
        row = f"{sort:<22} {classes_of(of_a_sort[0].plan):<14} {len(of_a_sort):>5} {missed:>7} {embedded:>9} {real:>9}"
        print(row)  # noqa: T201 - as above
    return _tell_of_those(trials, [trial for trial in trials if trial.real or trial.embedded])


def _tell_mutants(trials: Sequence[Trial]) -> bool:
    """A mutant is caught if one of the plans that catch it in the simulation does so."""
    print(f"\n{'mutant':<25} {'embedded':<9} {'real':<9} plan")  # noqa: T201 - a table for a person
    escaped = []
    for name in dict.fromkeys(trial.subject for trial in trials):
        tried = [trial for trial in trials if trial.subject == name and trial.embedded]
        last = tried[-1]
        escaped += [] if last.real else tried
        real = last.real[0].oracle if last.real else "ALIVE"
        by = " or ".join(sort_of(trial.plan) or "no fault" for trial in tried)
        print(f"{name:<25} {last.embedded[0].oracle:<9} {real:<9} {by}")  # noqa: T201 - as above
    return _tell_of_those(trials, escaped)


def _tell_of_those(trials: Sequence[Trial], bad: Sequence[Trial]) -> bool:
    different = sum(trial.is_different for trial in trials)
    print(f"{len(trials)} replayed, {different} judged differently")  # noqa: T201 - as above
    for trial in bad:
        print(trial)  # noqa: T201 - as above
    return not bad


def _survived(verdicts: Sequence[object]) -> str:
    return f"{sum(not verdict for verdict in verdicts)}/{len(verdicts)}"


if __name__ == "__main__":
    sys.exit(main())
