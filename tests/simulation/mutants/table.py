"""Hunts every mutant: which oracle caught it, after how many plans, and whether ordinary tests do: `make mutants`.

`ARGS="spins reflector-dies"` hunts those alone; `ARGS=--write` keeps what was found, and writes `docs/mutants.md`.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.simulation.mutants.mutant import Mutant, hunt
from tests.simulation.mutants.ordinary import is_caught
from tests.simulation.mutants.population import MUTANTS
from tests.simulation.mutants.record import OF_TESTS, Record, read_records, totals_of, write_records


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", help="of mutants; all, if none is given")
    parser.add_argument("--write", action="store_true", help="keep what is found")
    options = parser.parse_args(argv)
    wanted = [mutant for mutant in MUTANTS if not options.names or mutant.name in options.names]

    _say(f"{'mutant':<26} {'oracle':<9} {'plans':>5}  {'ordinary tests':<14}  bug")
    found: dict[str, Record] = {}
    for mutant in wanted:
        record = _look_at(mutant)
        if record is not None:
            found[mutant.name] = record
            if options.write:
                # One by one: all of them take minutes.
                write_records({**read_records(), mutant.name: record})
    _say(f"{len(wanted)} mutants, {len(wanted) - len(found)} alive. {totals_of(found)}")
    return 0 if len(found) == len(wanted) else 1


def _look_at(mutant: Mutant) -> Record | None:
    with tempfile.TemporaryDirectory() as folder:
        finding = hunt(mutant, Path(folder))
    is_caught_by_tests = is_caught(mutant)
    oracle, plans = ("ALIVE", "-") if finding is None else (finding.oracle, str(finding.plans))
    _say(f"{mutant.name:<26} {oracle:<9} {plans:>5}  {OF_TESTS[is_caught_by_tests]:<14}  {mutant.bug}")
    return None if finding is None else Record(finding, is_caught_by_tests)


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a table for a person


if __name__ == "__main__":
    sys.exit(main())
