"""The definitions as the chart holds them: helm reads only what lies in the chart."""

from pathlib import Path

# The second is installed only where a value asks for it.
FOLDERS = ("crds", "crds-cf-worker-group")


def definition_files(root: Path) -> dict[str, str]:
    paths = [path for folder in FOLDERS for path in sorted((root / folder).glob("*.yaml"))]
    return {f"files/{path.relative_to(root).as_posix()}": path.read_text() for path in paths}
