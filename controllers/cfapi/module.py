"""The modules of an upload: their names, which are the tenant's, and what they are."""

from collections.abc import Iterable, Sequence

import msgspec

from controllers.cfapi import failure
from controllers.cfapi.form import Part
from controllers.scriptstorage.modulename import InvalidModuleName, check_module_names
from controllers.scriptstorage.script import ModuleType, ScriptModule

_SERVICE_WORKER_TYPES = frozenset({"application/javascript", "text/javascript"})


_TYPES = {
    "application/javascript+module": ModuleType.ES_MODULE,
    "text/javascript+module": ModuleType.ES_MODULE,
    "application/javascript": ModuleType.COMMON_JS,
    "text/javascript": ModuleType.COMMON_JS,
    "application/wasm": ModuleType.WASM,
    "text/plain": ModuleType.TEXT,
    "application/octet-stream": ModuleType.DATA,
    "application/json": ModuleType.JSON,
    "application/source-map": ModuleType.SOURCE_MAP,
}


class Module(msgspec.Struct, frozen=True):
    """One part that is code or data of the script."""

    script: ScriptModule
    content_type: str

    @property
    def name(self) -> str:
        return self.script.name


def modules_of(parts: Iterable[Part]) -> list[Module]:
    """A module for each part; raises what to answer if a name or a type cannot be."""
    modules = [_module_of(part) for part in parts]
    try:
        check_module_names(module.name for module in modules)
    except InvalidModuleName as error:
        raise failure.rejected(str(error)) from None
    return modules


def check_main_module(modules: Sequence[Module], name: str) -> None:
    main = next((module for module in modules if module.name == name), None)
    if main is None:
        raise failure.rejected(f"main_module is {name!r}, but there is no part of that name")
    if main.script.type is not ModuleType.ES_MODULE:
        raise failure.rejected(f"main_module {name!r} is no ES module but {main.content_type}")


def check_service_worker(modules: Sequence[Module], name: str) -> None:
    body = next((module for module in modules if module.name == name), None)
    if body is None:
        raise failure.rejected(f"body_part is {name!r}, but there is no part of that name")
    if body.content_type not in _SERVICE_WORKER_TYPES:
        raise failure.rejected(f"body_part {name!r} is no JavaScript but {body.content_type}")


def _module_of(part: Part) -> Module:
    if part.content_type.startswith("text/x-python"):
        raise failure.rejected(f"module {part.name!r} is Python, which is not supported on this platform")
    module_type = _TYPES.get(part.content_type)
    if module_type is None:
        raise failure.rejected(
            f"module {part.name!r} has the content type {part.content_type!r}, which is none we know"
        )
    return Module(ScriptModule(part.name, module_type, part.body), part.content_type)


def content_type_of(module: ScriptModule, *, is_body: bool) -> str:
    """What an upload of the same module would say; *is_body* of the script of a service worker."""
    if is_body:
        return "application/javascript"
    return next(name for name, module_type in _TYPES.items() if module_type is module.type)
