"""`pip install windlass[azure]` brings what the plugin for Azure imports; so for every cloud."""

import ast
import os
import sys
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[4]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PLUGINS: dict[str, str] = PROJECT["entry-points"]["peerpods.cloud_providers"]
OURS = ("apis", "controllers", "framework")


@pytest.mark.parametrize("cloud", sorted(PLUGINS))
def test_every_plugin_names_the_extra_that_brings_its_sdk(cloud: str) -> None:
    assert _plugin_attribute(cloud, "extra") == cloud
    assert _plugin_attribute(cloud, "name") == cloud
    assert cloud in PROJECT["optional-dependencies"]


@pytest.mark.parametrize("cloud", sorted(PLUGINS))
def test_the_extra_brings_everything_that_the_plugin_imports(cloud: str) -> None:
    try:
        brought = _closure([*PROJECT["dependencies"], *PROJECT["optional-dependencies"][cloud]])
    except PackageNotFoundError as missing:
        pytest.skip(f"{missing.name} is not installed here")
    # As texts: the SDKs have many thousands of files.
    files = {os.path.normpath(str(each.locate_file(file))) for each in brought for file in each.files or ()}

    for module in _foreign_imports(_source(cloud)):
        assert _file_of(module) in files, f"windlass[{cloud}] does not bring {module}"


def test_the_program_itself_needs_no_sdk() -> None:
    core = {_name(each) for each in PROJECT["dependencies"]}

    for cloud in PLUGINS:
        assert not core & {_name(each) for each in PROJECT["optional-dependencies"][cloud]}


def _source(cloud: str) -> ast.Module:
    module, _, _class = PLUGINS[cloud].partition(":")
    return ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text())


def _plugin_attribute(cloud: str, attribute: str) -> str:
    wanted = PLUGINS[cloud].partition(":")[2]
    [plugin] = [each for each in _source(cloud).body if isinstance(each, ast.ClassDef) and each.name == wanted]
    for statement in plugin.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=value)) if name == attribute:
                return str(value)
    raise AssertionError(f"{wanted} has no {attribute}")


def _foreign_imports(source: ast.Module) -> set[str]:
    names: set[str] = set()
    for statement in ast.walk(source):
        if isinstance(statement, ast.Import):
            names |= {each.name for each in statement.names}
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            names |= {_imported_module(statement.module, each.name) for each in statement.names}
    return {each for each in names if each.split(".")[0] not in {*OURS, *sys.stdlib_module_names}}


def _imported_module(package: str, name: str) -> str:
    """What `from package import name` loads: of a package without a file of its own it is the name."""
    spec = find_spec(package)
    return package if spec is not None and spec.origin else f"{package}.{name}"


def _file_of(module: str) -> str:
    spec = find_spec(module)
    assert spec is not None, f"{module} is not installed"
    assert spec.origin, f"{module} has no file"
    return os.path.normpath(spec.origin)


def _closure(requirements: list[str]) -> list[Distribution]:
    found: dict[str, Distribution] = {}
    visited: set[tuple[str, str]] = set()
    waiting = [Requirement(each) for each in requirements]
    while waiting:
        requirement = waiting.pop()
        for extra in {"", *requirement.extras}:
            if (requirement.name, extra) not in visited:
                visited.add((requirement.name, extra))
                found[requirement.name] = distribution(requirement.name)
                needed = map(Requirement, found[requirement.name].requires or ())
                waiting += [each for each in needed if each.marker is None or each.marker.evaluate({"extra": extra})]
    return list(found.values())


def _name(requirement: str) -> str:
    return Requirement(requirement).name
