"""What OpenAPI does not tell about the built-in types: how Go writes them as JSON.

Whether a zero is left out depends on the field being a pointer, and whether an empty list is, on its tag. Both are
read from the sources that the control plane is built from.
"""

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

MODULES = Path(__file__).resolve().parent / "control-plane"
_PACKAGES = {
    "io.k8s.api.": "k8s.io/api",
    "io.k8s.apimachinery.": "k8s.io/apimachinery",
    "io.k8s.apiextensions-apiserver.": "k8s.io/apiextensions-apiserver",
}
_STRUCT = re.compile(r"^type (\w+) struct \{$(.*?)^\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r'^\t(?:(\w+)\s+)?(\S+)\s+`.*?json:"([^"]*)"', re.MULTILINE)
_NAMED = re.compile(r"^(?:type |\t)(\w+) (string|bool|u?int\d+|map\[.+)$", re.MULTILINE)
# Structs to Go, so never empty to it, but null in JSON.
_TIMES = {"Time", "MicroTime", "metav1.Time", "metav1.MicroTime"}
_SCALARS = {"string", "bool", "int32", "int64", "float64"}


class GoField(NamedTuple):
    type: str
    is_kept_when_empty: bool
    is_left_out_when_zero: bool


class GoPackage(NamedTuple):
    structs: Mapping[str, Mapping[str, GoField]]
    named: frozenset[str]


class GoSources:
    def __init__(self) -> None:
        self._packages: dict[str, GoPackage] = {}

    def hints_of(self, definition: str) -> dict[str, object]:
        """Pointers to scalars, what is written as null when absent, and the names of types for error messages."""
        package_name, _, struct = definition.rpartition(".")
        package = self._package(package_name)
        fields = package.structs.get(struct, {})
        plain = {name: field.type.lstrip("*") for name, field in fields.items()}
        hints: dict[str, object] = {
            "pointers": [
                name
                for name, field in fields.items()
                if field.type.startswith("*") and (plain[name] in _SCALARS or self._is_named(plain[name], package))
            ],
            "kept": [
                name
                for name, field in fields.items()
                if (field.is_kept_when_empty and field.type.startswith(("[]", "map[")))
                or (field.type in _TIMES and not field.is_left_out_when_zero)
            ],
            "named": {
                name: type_ if "." in type_ else f"v1.{type_}"
                for name, type_ in plain.items()
                if self._is_named(type_, package)
            },
        }
        return {name: value for name, value in hints.items() if value}

    def _is_named(self, type_: str, package: GoPackage) -> bool:
        if "." not in type_:
            return type_ in package.named
        alias, _, name = type_.partition(".")
        return name in self._package(_IMPORTED[alias]).named if alias in _IMPORTED else False

    def _package(self, name: str) -> GoPackage:
        if name not in self._packages:
            self._packages[name] = _parsed(folder_of(name))
        return self._packages[name]


_IMPORTED = {
    "v1": "io.k8s.api.core.v1",
    "corev1": "io.k8s.api.core.v1",
    "metav1": "io.k8s.apimachinery.pkg.apis.meta.v1",
    "types": "io.k8s.apimachinery.pkg.types",
}


def folder_of(package: str) -> Path:
    prefix, module = next((prefix, module) for prefix, module in _PACKAGES.items() if package.startswith(prefix))
    command = ["go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", module]
    folder = subprocess.run(command, cwd=MODULES, check=True, capture_output=True, text=True).stdout.strip()
    return Path(folder, *package.removeprefix(prefix).split("."))


def _parsed(folder: Path) -> GoPackage:
    sources = [path.read_text() for path in sorted(folder.glob("*.go")) if not path.name.endswith("_test.go")]
    text = "\n".join(sources)
    raw = {name: list(_fields_in(body)) for name, body in _STRUCT.findall(text)}
    structs = {name: dict(_with_embedded(name, raw)) for name in raw}
    return GoPackage(structs, frozenset(name for name, _ in _NAMED.findall(text)))


def _fields_in(body: str) -> Iterator[tuple[str, GoField]]:
    for name, type_, tag in _FIELD.findall(body):
        json_name, *options = tag.split(",")
        if json_name != "-":
            # An embedded struct has no name in JSON: its fields stand for it.
            yield json_name if name else "", GoField(type_, "omitempty" not in options, "omitzero" in options)


def _with_embedded(struct: str, raw: Mapping[str, list[tuple[str, GoField]]]) -> Iterator[tuple[str, GoField]]:
    for name, field in raw.get(struct, ()):
        if name:
            yield name, field
        else:
            yield from _with_embedded(field.type, raw)
