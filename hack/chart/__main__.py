"""Write what the chart has from elsewhere: definitions, modes, the schema and table of its values, what is told.

hack/chart          writes the files under charts/windlass
hack/chart --check  compares instead; exits 1 and prints the differences if there are any
"""

import difflib
import sys
from pathlib import Path

from hack.chart.annotations import chart_with_annotations
from hack.chart.definitions import FOLDERS, definition_files
from hack.chart.modes import modes_file
from hack.chart.readme import readme_with_table
from hack.chart.schema import schema_file
from hack.chart.values import read_values

ROOT = Path(__file__).resolve().parent.parent.parent
CHART = ROOT / "charts" / "windlass"


def generated(chart: Path = CHART) -> dict[str, str]:
    """The text of each generated file, by its path in the chart."""
    values = read_values((chart / "values.yaml").read_text())
    return {
        **definition_files(ROOT),
        "Chart.yaml": chart_with_annotations((chart / "Chart.yaml").read_text(), ROOT),
        "files/modes.yaml": modes_file(),
        "values.schema.json": schema_file(values),
        "README.md": readme_with_table((chart / "README.md").read_text(), values),
    }


def main() -> int:
    is_check = "--check" in sys.argv[1:]
    files = generated()
    present = {
        path.relative_to(CHART).as_posix() for folder in FOLDERS for path in (CHART / "files" / folder).glob("*")
    }
    has_difference = False
    for name in sorted({*files, *present}):
        path, text = CHART / name, files.get(name, "")
        before = path.read_text() if path.exists() else ""
        if before == text and (name in files) == path.exists():
            continue
        has_difference = True
        if is_check:
            old, new = before.splitlines(keepends=True), text.splitlines(keepends=True)
            sys.stdout.writelines(difflib.unified_diff(old, new, name, "generated"))
        elif name in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        else:
            path.unlink()
    return int(is_check and has_difference)


if __name__ == "__main__":
    sys.exit(main())
