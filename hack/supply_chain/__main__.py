"""What the image is made of: a list for machines, a list of licences, and what is known against it.

python -m hack.supply_chain sbom      writes build/sbom.json (CycloneDX)
python -m hack.supply_chain licences  writes docs/licences.md; --check compares instead
python -m hack.supply_chain audit     exits 1 if a vulnerability is known; says so if nobody can be asked
"""

import argparse
import subprocess
import sys
from pathlib import Path

from hack.supply_chain.audit import judge
from hack.supply_chain.licences import licence_table
from hack.supply_chain.pinned import pinned

ROOT = Path(__file__).resolve().parent.parent.parent
RUNTIME = ROOT / "requirements" / "runtime.txt"
SBOM = ROOT / "build" / "sbom.json"
LICENCES = ROOT / "docs" / "licences.md"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m hack.supply_chain")
    parser.add_argument("what", choices=("sbom", "licences", "audit"))
    parser.add_argument("--check", action="store_true", help="of licences: compare instead of writing")
    arguments = parser.parse_args()
    if arguments.what == "licences":
        return licences(is_check=arguments.check)
    return {"sbom": sbom, "audit": audit}[arguments.what]()


def sbom() -> int:
    SBOM.parent.mkdir(exist_ok=True)
    # Without time and serial number: the same lock gives the same file.
    flags = ["--output-reproducible", "--pyproject", str(ROOT / "pyproject.toml"), "--output-file", str(SBOM)]
    command = [sys.executable, "-m", "cyclonedx_py", "requirements", *flags, str(RUNTIME)]
    code = subprocess.run(command, check=False).returncode
    if code == 0:
        print(f"{SBOM.relative_to(ROOT)}: {len(pinned(RUNTIME.read_text()))} components")
    return code


def licences(*, is_check: bool) -> int:
    table = licence_table(pinned(RUNTIME.read_text()))
    if not is_check:
        LICENCES.write_text(table)
        return 0
    is_same = LICENCES.exists() and LICENCES.read_text() == table
    if not is_same:
        print("docs/licences.md is not what is installed: run `make licences`", file=sys.stderr)
    return int(not is_same)


def audit() -> int:
    flags = [
        "--require-hashes",
        "--disable-pip",
        "--format=json",
        "--progress-spinner=off",
        "--requirement",
        str(RUNTIME),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", *flags], capture_output=True, text=True, timeout=300, check=False
    )
    verdict = judge(done.stdout, done.stderr)
    print(f"audit: {verdict.text}")
    return int(verdict.is_bad)


if __name__ == "__main__":
    sys.exit(main())
