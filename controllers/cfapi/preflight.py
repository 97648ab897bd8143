"""Tries an upload with the real workerd, alone, before anything of it is stored."""

from collections.abc import Iterator, Sequence

import msgspec

from controllers.scriptstorage.script import ScriptManifest, ScriptModule, StoredBinding
from controllers.workerbuild.bad_input import ScriptError
from controllers.workerbuild.check import check_script
from controllers.workerbuild.preflight import PreflightOptions
from controllers.workerbuild.resolve import resolve_script
from controllers.workers.plan import PlanBinding, PlanBindingKind, PlanRow
from framework.runtime import Runtime

# Which one it will get is not known yet; workerd is given any free one.
_PORT = 8080
# The top level of foreign code: a few at a time, whoever else uploads.
_AT_ONCE = 2


class WorkerdCheck:
    def __init__(self, options: PreflightOptions, runtime: Runtime) -> None:
        self._options = options
        self._changed = runtime.condition()
        self._running = 0

    def problem(self, script: str, modules: Sequence[ScriptModule], manifest: ScriptManifest) -> str | None:
        row = PlanRow(
            name=script,
            port=_PORT,
            main_module=manifest.main_module,
            compatibility_date=manifest.compatibility_date,
            compatibility_flags=list(manifest.compatibility_flags),
            sources=["upload"],
            bindings=list(_bindings(manifest.bindings)),
        )
        try:
            resolved = resolve_script(0, row, modules, manifest)
        except ScriptError as error:
            return str(error)
        with self._changed:
            while self._running >= _AT_ONCE:
                self._changed.wait()
            self._running += 1
        try:
            failure = check_script(resolved, self._options)
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify()
        return None if failure is None else failure.message


def _bindings(stored: Sequence[StoredBinding]) -> Iterator[PlanBinding]:
    """Without secrets, which a script must bear to miss while it starts, and without blobs, which the manifest has."""
    for binding in stored:
        if binding.type == "plain_text":
            yield PlanBinding(name=binding.name, kind=PlanBindingKind.TEXT, value=binding.text)
        elif binding.type == "json":
            text = msgspec.json.encode(binding.json).decode()
            yield PlanBinding(name=binding.name, kind=PlanBindingKind.JSON, value=text)
        elif binding.type == "service":
            yield PlanBinding(name=binding.name, kind=PlanBindingKind.SERVICE, service=binding.service)
