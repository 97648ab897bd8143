"""`python -m apis.schema FOLDER MODULE:NAME…` writes the CRDs of kinds; with --verify it only says what would change.

NAME is a kind or a collection of kinds. Exit code 0: written, or nothing to change; 1: --verify found a difference;
2: a type or an argument is wrong.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

from apis.meta import KubeObject
from apis.schema.errors import SchemaError
from apis.schema.files import difference, render, write


def main(argv: Sequence[str] | None = None) -> int:
    options = _parse(argv)
    try:
        files = render({kind for name in options.kinds for kind in _load(name)})
    except (SchemaError, ModuleNotFoundError) as error:
        sys.stderr.write(f"apis.schema: {error}\n")
        return 2
    if options.verify:
        found = difference(options.folder, files)
        sys.stdout.write(found)
        return 1 if found else 0
    write(options.folder, files)
    return 0


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m apis.schema", description="Write the CRDs of kinds.")
    parser.add_argument("folder", type=Path, help="where the files are")
    parser.add_argument("kinds", nargs="+", metavar="MODULE:NAME", help="a kind or a collection of kinds")
    parser.add_argument("--verify", action="store_true", help="write nothing; print what would change, exit 1 if any")
    return parser.parse_args(argv)


def _load(reference: str) -> Iterable[type[KubeObject]]:
    module, _, name = reference.partition(":")
    found = getattr(import_module(module), name, None) if name else None
    if found is None:
        raise SchemaError(f"{reference} is not there; write MODULE:NAME of a kind or of a collection of kinds")
    return (found,) if isinstance(found, type) else found


if __name__ == "__main__":
    sys.exit(main())
