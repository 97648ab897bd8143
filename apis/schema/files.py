"""A folder with one generated file for each kind, and nothing generated beside them."""

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from apis.meta import KubeObject
from apis.schema.crd import crd_of, versions_by_kind
from apis.schema.document import HEADER, to_yaml


def render(kinds: Iterable[type[KubeObject]]) -> dict[str, str]:
    """The text of each file, by its name."""
    return dict(_file(versions) for versions in versions_by_kind(kinds))


def file_name(crd: Mapping[str, Any]) -> str:
    return f"{crd['spec']['group']}_{crd['spec']['names']['plural']}.yaml"


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Make the folder hold *files*; generated files that are not among them go, others stay."""
    folder.mkdir(parents=True, exist_ok=True)
    for stale in _generated_in(folder) - files.keys():
        (folder / stale).unlink()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def difference(folder: Path, files: Mapping[str, str]) -> str:
    """What `write` would change, as a unified diff; empty if nothing. Writes nothing."""
    names = sorted(_generated_in(folder) | files.keys())
    return "".join(_diff(folder / name, files.get(name, "")) for name in names)


def _file(versions: list[type[KubeObject]]) -> tuple[str, str]:
    crd = crd_of(*versions)
    source = ", ".join(sorted(f"{cls.__module__}.{cls.__qualname__}" for cls in versions))
    return file_name(crd), to_yaml(crd, source=source)


def _generated_in(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.yaml") if path.read_text(encoding="utf-8").startswith(HEADER)}


def _diff(path: Path, wanted: str) -> str:
    found = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = difflib.unified_diff(
        found.splitlines(keepends=True), wanted.splitlines(keepends=True), str(path), f"{path} (from the types)"
    )
    return "".join(lines)
