"""Shows how faithful the embedded API server is: the same cases on it and on a real kube-apiserver.

hack/fidelity            runs the cases and prints the table
hack/fidelity --update   writes it into README.md and docs/fidelity.md as well
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from hack.fidelity.table import Report, between, compact, full, is_perfect

ROOT = Path(__file__).parent.parent.parent
CASES = "tests/conformance/behaviours"


def main() -> int:
    parser = argparse.ArgumentParser(prog="hack/fidelity")
    parser.add_argument("--update", action="store_true", help="write the tables into README.md and docs/fidelity.md")
    arguments = parser.parse_args()
    report = run_cases()
    print(full(report), end="")
    if arguments.update:
        update(ROOT / "README.md", compact(report))
        update(ROOT / "docs" / "fidelity.md", full(report))
    return 0 if is_perfect(report) else 1


def run_cases() -> Report:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", CASES]
        finished = subprocess.run([*command, f"--fidelity-report={file}"], cwd=ROOT, stdout=sys.stderr, check=False)
        if not file.exists():
            sys.exit(finished.returncode or 1)
        report: Report = json.loads(file.read_text())
        return report


def update(file: Path, table: str) -> None:
    file.write_text(between(file.read_text(), "fidelity", table))


if __name__ == "__main__":
    sys.exit(main())
