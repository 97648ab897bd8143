from collections.abc import Mapping
from pathlib import Path

import pytest

from controllers.scriptstorage.script import MANIFEST_NAME, ModuleType, ScriptManifest, ScriptModule, put_script
from controllers.scriptstorage.settings import StorageSettings
from controllers.workerbuild.bad_input import BadInput
from controllers.workerbuild.fetch import fetch, read_plan
from controllers.workers.plan import BuildPlan, Egress, PlanRow
from tests.unit.controllers.workerbuild.memory_objects import BUCKET, FOREIGN_BUCKET, MemoryObjects

GOOD = "export default { fetch() { return new Response('good'); } };"
SETTINGS = StorageSettings(bucket=BUCKET)


@pytest.fixture
def objects() -> MemoryObjects:
    return MemoryObjects()


def store(objects: MemoryObjects, key: str, modules: Mapping[str, str]) -> str:
    for name, content in modules.items():
        objects.put(f"{key}/{name}", content.encode())
    return f"s3://{BUCKET}/{key}"


def row(name: str, port: int, *sources: str) -> PlanRow:
    return PlanRow(name=name, port=port, compatibility_date="2024-01-01", sources=list(sources))


def run(objects: MemoryObjects, folder: Path, *rows: PlanRow) -> None:
    plan = BuildPlan(version=1, target_image="x", egress=Egress.PUBLIC, workers=rows)
    fetch(plan, folder / "context", "scratch", objects, SETTINGS)


def reason(objects: MemoryObjects, folder: Path, *rows: PlanRow) -> tuple[str, list[str]]:
    with pytest.raises(BadInput) as caught:
        run(objects, folder, *rows)
    return caught.value.reason, [script.script_name for script in caught.value.failed_scripts]


@pytest.mark.parametrize(
    ("modules", "expected"),
    [
        ({"a/../../etc/x.js": GOOD}, "InvalidModuleName"),
        ({"a//x.js": GOOD}, "InvalidModuleName"),
        ({"/abs.js": GOOD}, "InvalidModuleName"),
        ({"a\\b.js": GOOD}, "InvalidModuleName"),
        ({"a\nb.js": GOOD}, "InvalidModuleName"),
        ({f"{'x' * 600}.js": GOOD}, "InvalidModuleName"),
        ({"index.js": GOOD, "index.py": "print()"}, "UnknownModuleType"),
        ({"one.js": GOOD, "two.js": GOOD}, "AmbiguousMainModule"),
        ({"note.txt": "no code"}, "AmbiguousMainModule"),
        ({}, "ScriptNotFound"),
    ],
)
def test_a_folder_that_is_no_script_is_named_with_its_reason(
    objects: MemoryObjects, tmp_path: Path, modules: dict[str, str], expected: str
) -> None:
    good = row("good", 8080, store(objects, "good", {"index.js": GOOD}))
    bad = row("bad", 8081, store(objects, "bad", modules))

    assert reason(objects, tmp_path, good, bad) == (expected, ["bad"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (f"s3://{FOREIGN_BUCKET}/script", "InvalidScriptUrl"),
        ("https://example.com/script", "InvalidScriptUrl"),
        ("s3://scripts/a/../b", "InvalidScriptUrl"),
        ("s3://scripts", "InvalidScriptUrl"),
        ("s3://scripts/nothing/here", "ScriptNotFound"),
    ],
)
def test_a_source_that_may_not_be_read_or_is_not_there_is_named(
    objects: MemoryObjects, tmp_path: Path, source: str, expected: str
) -> None:
    objects.stored[FOREIGN_BUCKET, "script/index.js"] = GOOD.encode()

    assert reason(objects, tmp_path, row("bad", 8080, source)) == (expected, ["bad"])


def test_every_script_that_is_at_fault_is_named(objects: MemoryObjects, tmp_path: Path) -> None:
    rows = [row("a", 8080, "nothing"), row("b", 8081, "http://x/y")]

    assert reason(objects, tmp_path, *rows) == ("ScriptNotFound", ["a", "b"])


def test_the_same_module_in_two_sources_is_refused(objects: MemoryObjects, tmp_path: Path) -> None:
    sources = [store(objects, key, {"index.js": GOOD}) for key in ("one", "two")]

    assert reason(objects, tmp_path, row("twice", 8080, *sources)) == ("InvalidModuleName", ["twice"])


def test_rows_that_cannot_be_in_one_image_are_refused(objects: MemoryObjects, tmp_path: Path) -> None:
    url = store(objects, "good", {"index.js": GOOD})

    assert reason(objects, tmp_path, row("a", 8080, url), row("a", 8081, url))[0] == "DuplicateScript"
    assert reason(objects, tmp_path, row("a", 8080, url), row("b", 8080, url))[0] == "DuplicatePort"
    assert reason(objects, tmp_path, row("Not a name", 8080, url))[0] == "InvalidScriptName"
    assert reason(objects, tmp_path)[0] == "InvalidPlan"


def test_the_main_module_is_listed_first_and_names_are_no_paths(objects: MemoryObjects, tmp_path: Path) -> None:
    modules = {"a.js": "1", "worker.mjs": GOOD, "main.js": "2", "deep/folder/x.txt": "text", "x.js.map": "{}"}

    run(objects, tmp_path, row("one", 8080, store(objects, "one", modules)))

    folder = tmp_path / "context" / "worker"
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()) == [
        "config.capnp",
        "w0/m0",
        "w0/m1",
        "w0/m2",
        "w0/m3",
    ]
    assert (folder / "w0/m0").read_text() == GOOD
    assert '    ( name = "worker.mjs", esModule = embed "w0/m0" ),\n' in (folder / "config.capnp").read_text()
    dockerfile = (tmp_path / "context" / "Dockerfile").read_text()
    assert dockerfile.splitlines()[0] == "FROM scratch"


def test_nothing_of_an_earlier_plan_is_left(objects: MemoryObjects, tmp_path: Path) -> None:
    url = store(objects, "one", {"index.js": GOOD, "b.js": "2"})
    run(objects, tmp_path, row("a", 8080, url), row("b", 8081, url))

    run(objects, tmp_path, row("b", 8081, store(objects, "two", {"index.js": GOOD})))

    folder = tmp_path / "context" / "worker"
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("m*")) == ["w0/m0"]


def test_with_a_manifest_exactly_its_modules_count(objects: MemoryObjects, tmp_path: Path) -> None:
    modules = [ScriptModule("odd name, no extension", ModuleType.ES_MODULE, GOOD.encode())]
    put_script(objects, "up/", modules, ScriptManifest(v=1, main_module="odd name, no extension"))
    objects.put("up/left-over.js", b"not in the manifest")

    run(objects, tmp_path, row("up", 8080, "up"))

    config = (tmp_path / "context" / "worker" / "config.capnp").read_text()
    assert '( name = "odd name, no extension", esModule = embed "w0/m0" )' in config
    assert "left-over" not in config


@pytest.mark.parametrize(
    "manifest",
    [
        b"no JSON",
        b'{"v": 2}',
        b'{"v": 1, "bindings": [{"name": "x", "type": "json", "json": ' + b"[" * 100_000,
        b'{"v": 1, "modules": [{"name": "x", "type": "esModule", "file": "files/0", "size": -2, "sha256": ""}]}',
        b'{"v": 1, "modules": [{"name": "x", "type": "esModule", "file": "files/0", "size": 1e9, "sha256": ""}]}',
        b'{"v": 1, "modules": [{"name": "x", "type": "esModule", "file": "../../x", "size": 1, "sha256": ""}]}',
        b'{"v": 1, "modules": [{"name": "x", "type": "esModule", "file": "files/7", "size": 1, "sha256": ""}]}',
    ],
    ids=range(7),
)
def test_a_manifest_that_cannot_be_is_the_fault_of_its_script(
    objects: MemoryObjects, tmp_path: Path, manifest: bytes
) -> None:
    objects.put(f"up/{MANIFEST_NAME}", manifest)

    assert reason(objects, tmp_path, row("up", 8080, "up")) == ("ScriptBroken", ["up"])


@pytest.mark.parametrize(
    "text",
    [b"", b"[]", b'{"version": 2}', b"\xff", b'{"version": 1}', b'{"x": ' + b"[" * 100_000, b'{"account": "\\ud800x"}'],
    ids=range(7),
)
def test_a_plan_that_is_none_is_bad_input(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(text)

    with pytest.raises(BadInput, match="the plan") as caught:
        read_plan(path)

    assert caught.value.reason == "InvalidPlan"
