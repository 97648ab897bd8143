import pytest

from apis.cfworker.planrow import PlanBinding, PlanBindingKind, PlanRow
from controllers.scriptstorage.script import ModuleType, ScriptManifest, ScriptModule
from controllers.workerbuild.bad_input import ScriptError
from controllers.workerbuild.modules import main_module_of
from controllers.workerbuild.resolve import resolve_script


def es(*names: str) -> list[ScriptModule]:
    return [ScriptModule(name, ModuleType.ES_MODULE, b"") for name in names]


def a_row(main: str = "", *bindings: PlanBinding) -> PlanRow:
    return PlanRow(name="hello", port=8080, sources=["x"], main_module=main, bindings=list(bindings))


@pytest.mark.parametrize(
    ("names", "wanted", "main"),
    [
        (["a.js", "main.js", "worker.mjs", "index.mjs", "index.js"], "", "index.js"),
        (["shim.mjs", "main.mjs", "main.js"], "", "main.js"),
        (["only.js"], "", "only.js"),
        (["index.js", "other.js"], "other.js", "other.js"),
    ],
)
def test_the_main_module_is_the_wanted_one_else_a_usual_name_else_the_only_one(
    names: list[str], wanted: str, main: str
) -> None:
    assert main_module_of(es(*names), wanted) == main


def test_the_plan_counts_before_the_manifest_and_the_manifest_before_names() -> None:
    modules = es("index.js", "from-manifest.js", "from-plan.js")
    manifest = ScriptManifest(v=1, main_module="from-manifest.js", compatibility_date="2024-05-05")

    planned = resolve_script(0, a_row("from-plan.js"), modules, manifest).worker
    uploaded = resolve_script(0, a_row(), modules, manifest).worker

    assert planned.modules[0].name == "from-plan.js"
    assert (uploaded.modules[0].name, uploaded.compatibility_date) == ("from-manifest.js", "2024-05-05")


@pytest.mark.parametrize(
    ("row", "manifest", "reason"),
    [
        (a_row("gone.js"), None, "MainModuleNotFound"),
        (a_row(), ScriptManifest(v=1, body_part="gone.js"), "MainModuleNotFound"),
        (a_row("", PlanBinding(name="A", kind=PlanBindingKind.JSON, value="{")), None, "InvalidBinding"),
        (a_row("", PlanBinding(name="A", kind=PlanBindingKind.JSON, value="[" * 30_000)), None, "InvalidBinding"),
        (a_row("", PlanBinding(name="A", kind=PlanBindingKind.WASM, file="gone")), None, "InvalidBinding"),
        (a_row("", PlanBinding(name="A", kind=PlanBindingKind.DATA)), None, "InvalidBinding"),
        (a_row("", *[PlanBinding(name="A", kind=PlanBindingKind.TEXT)] * 2), None, "InvalidBinding"),
    ],
)
def test_what_does_not_fit_together_is_the_fault_of_the_script(
    row: PlanRow, manifest: ScriptManifest | None, reason: str
) -> None:
    with pytest.raises(ScriptError) as caught:
        resolve_script(0, row, es("index.js"), manifest)

    assert caught.value.reason == reason
