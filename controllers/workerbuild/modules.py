"""Modules of a folder that has no manifest: what they are by their extension, and which one is the main one."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from controllers.scriptstorage.script import ModuleType, ScriptModule
from controllers.workerbuild.bad_input import ScriptError

_TYPES = {
    ".js": ModuleType.ES_MODULE,
    ".mjs": ModuleType.ES_MODULE,
    ".cjs": ModuleType.COMMON_JS,
    ".wasm": ModuleType.WASM,
    ".txt": ModuleType.TEXT,
    ".html": ModuleType.TEXT,
    ".sql": ModuleType.TEXT,
    ".json": ModuleType.JSON,
    ".bin": ModuleType.DATA,
    ".map": ModuleType.SOURCE_MAP,
}
_MAIN_NAMES = tuple(f"{stem}{suffix}" for stem in ("index", "worker", "main", "shim") for suffix in (".js", ".mjs"))


def type_of(name: str) -> ModuleType:
    suffix = PurePosixPath(name).suffix
    try:
        return _TYPES[suffix]
    except KeyError:
        known = " ".join(_TYPES)
        raise ScriptError("UnknownModuleType", f"module {name!r} ends with none of {known}") from None


def main_module_of(modules: Sequence[ScriptModule], wanted: str) -> str:
    """The name of the main module: *wanted*, else a usual name, else the only one that can be it."""
    names = {module.name for module in modules}
    if wanted:
        if wanted not in names:
            raise ScriptError("MainModuleNotFound", f"the main module {wanted!r} is not among the modules")
        return wanted
    for name in _MAIN_NAMES:
        if name in names:
            return name
    candidates = [module.name for module in modules if module.type == ModuleType.ES_MODULE]
    if len(candidates) != 1:
        found = f"{len(candidates)} ES modules" if candidates else "no ES module"
        raise ScriptError(
            "AmbiguousMainModule",
            f"which module is the main one? There are {found}, and none is called {_MAIN_NAMES[0]}",
        )
    return candidates[0]
