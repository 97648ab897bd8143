"""A row of the plan and the modules it leads to, brought together: files, their order, bindings."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from controllers.scriptstorage.modulename import InvalidModuleName, check_module_names
from controllers.scriptstorage.script import ModuleType, ScriptManifest, ScriptModule
from controllers.workerbuild.bad_input import ScriptError
from controllers.workerbuild.context import ContextBinding, ContextModule, ContextWorker
from controllers.workerbuild.modules import main_module_of
from controllers.workers.plan import PlanBinding, PlanBindingKind, PlanRow

_DEFAULT_COMPATIBILITY_DATE = "2023-02-28"
# Of the manifest only: such values are modules of the upload, which a plan cannot carry.
_BLOBS = {
    "wasm_module": PlanBindingKind.WASM,
    "text_blob": PlanBindingKind.TEXT,
    "data_blob": PlanBindingKind.DATA,
}


class ResolvedScript(msgspec.Struct, frozen=True):
    worker: ContextWorker
    # By their names below the worker folder.
    files: Mapping[str, bytes]


def resolve_script(
    number: int, row: PlanRow, modules: Sequence[ScriptModule], manifest: ScriptManifest | None = None
) -> ResolvedScript:
    """Raise ScriptError with what is wrong with the script. *number* is its place in the plan."""
    _check_names(modules)
    modules = [module for module in modules if module.type != ModuleType.SOURCE_MAP]
    bindings = _bindings(row, manifest)
    body = manifest.body_part if manifest and not row.main_module else ""
    modules = _for_service_worker(modules, body, bindings) if body else _main_first(modules, row, manifest)
    files = {module.name: f"w{number}/m{place}" for place, module in enumerate(modules)}
    worker = ContextWorker(
        name=row.name,
        port=row.port,
        compatibility_date=row.compatibility_date or _date_of(manifest) or _DEFAULT_COMPATIBILITY_DATE,
        compatibility_flags=row.compatibility_flags,
        script_file=files[body] if body else "",
        modules=()
        if body
        else [ContextModule(name=module.name, type=module.type, file=files[module.name]) for module in modules],
        bindings=[_context_binding(binding, files) for binding in bindings],
    )
    return ResolvedScript(worker, {files[module.name]: module.content for module in modules})


def _check_names(modules: Sequence[ScriptModule]) -> None:
    try:
        check_module_names(module.name for module in modules)
    except InvalidModuleName as error:
        raise ScriptError("InvalidModuleName", str(error)) from None


def _date_of(manifest: ScriptManifest | None) -> str:
    return manifest.compatibility_date if manifest else ""


def _main_first(
    modules: Sequence[ScriptModule], row: PlanRow, manifest: ScriptManifest | None
) -> Sequence[ScriptModule]:
    main = main_module_of(modules, row.main_module or (manifest.main_module if manifest else ""))
    return sorted(modules, key=lambda module: module.name != main)


def _for_service_worker(
    modules: Sequence[ScriptModule], body: str, bindings: Sequence[PlanBinding]
) -> Sequence[ScriptModule]:
    """Such a script imports nothing: of its other parts it has those that are bound to a name."""
    if all(module.name != body for module in modules):
        raise ScriptError("MainModuleNotFound", f"the script {body!r} is not among the modules")
    bound = {binding.file for binding in bindings}
    used = [module for module in modules if module.name == body or module.name in bound]
    return sorted(used, key=lambda module: module.name != body)


def _bindings(row: PlanRow, manifest: ScriptManifest | None) -> list[PlanBinding]:
    found = list(row.bindings)
    names = {binding.name for binding in found}
    if len(names) < len(found):
        raise ScriptError("InvalidBinding", "two bindings have the same name")
    found += [blob for blob in _blob_bindings(manifest) if blob.name not in names]
    for binding in found:
        _check_binding(binding)
    return found


def _blob_bindings(manifest: ScriptManifest | None) -> Iterator[PlanBinding]:
    for binding in manifest.bindings if manifest else ():
        if kind := _BLOBS.get(binding.type):
            yield PlanBinding(name=binding.name, kind=kind, file=binding.part)


def _check_binding(binding: PlanBinding) -> None:
    if binding.kind == PlanBindingKind.JSON:
        try:
            msgspec.json.decode(binding.value)
        except (msgspec.DecodeError, RecursionError) as error:
            raise ScriptError("InvalidBinding", f"binding {binding.name!r} is not JSON: {error}") from None


def _context_binding(binding: PlanBinding, files: Mapping[str, str]) -> ContextBinding:
    needs_file = binding.kind in {PlanBindingKind.WASM, PlanBindingKind.DATA} or bool(binding.file)
    if needs_file and binding.file not in files:
        raise ScriptError("InvalidBinding", f"binding {binding.name!r} is module {binding.file!r}, which is not there")
    return ContextBinding(
        name=binding.name,
        kind=binding.kind,
        value=binding.value,
        service=binding.service,
        entrypoint=binding.entrypoint,
        file=files[binding.file] if needs_file else "",
    )
