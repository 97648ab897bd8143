"""What scripts may be made of, and what happens to those that cannot be."""

import base64
from collections.abc import Callable
from pathlib import Path

import pytest

from apis.cfworker.planrow import PlanBinding, PlanBindingKind
from controllers.scriptstorage.connect import connect_storage
from controllers.scriptstorage.errors import StorageRefused
from controllers.scriptstorage.script import (
    ModuleType,
    ScriptManifest,
    ScriptModule,
    StoredBinding,
    put_script,
)
from controllers.scriptstorage.settings import StorageSettings
from controllers.workers.plan import Egress
from tests.integration.workers_build.running import running
from tests.integration.workers_build.steps import Steps, row
from tests.integration.workers_build.storage import ALLOWED_BUCKET, BUCKET, KEY_ID, SECRET_KEY, Storage

Script = Callable[..., str]
GOOD = "export default { fetch() { return new Response('good'); } };"
# (module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))
ADD_WASM = base64.b64decode("AGFzbQEAAAABBwFgAn9/AX8DAgEABwcBA2FkZAAACgkBBwAgACABags=")


def test_modules_of_every_kind_in_folders_are_there_under_their_names(
    steps: Steps, script: Script, workerd: Path
) -> None:
    main = """
        import named from "./sub/z.cjs";
        import wasm from "./sub/add.wasm";
        import note from "./sub/note.txt";
        import blob from "./sub/blob.bin";
        import json from "./sub/j.json";
        import { extra } from "./lib/extra.js";
        export default { fetch() {
          const add = new WebAssembly.Instance(wasm).exports.add;
          return Response.json([named.z, add(2, 3), note, new Uint8Array(blob)[0], json.a, extra]);
        } };
    """
    url = script(
        {
            "a-other.js": "export const unused = 1;",
            "index.js": main,
            "lib/extra.js": "export const extra = 'es';",
            "sub/z.cjs": "module.exports = { z: 'cjs' };",
            "sub/add.wasm": ADD_WASM,
            "sub/note.txt": "text",
            "sub/blob.bin": b"\x07",
            "sub/j.json": '{"a": "json"}',
            "sub/j.js.map": "{}",
        }
    )

    assert steps.fetch(row("kinds", sources=[url])).code == 0
    assert steps.check().code == 0

    assert "j.js.map" not in steps.config
    with running(workerd, steps.context / "worker/config.capnp", {"kinds": 0}) as workers:
        assert workers.ask("kinds").json() == ["cjs", 5, "text", 7, "json", "es"]


def test_an_uploaded_service_worker_has_its_blobs_as_globals(steps: Steps, storage: Storage, workerd: Path) -> None:
    body = """
        addEventListener('fetch', (event) => {
          const add = new WebAssembly.Instance(ADD).exports.add;
          event.respondWith(Response.json([add(1, 1), NOTE, new Uint8Array(BLOB)[0], PLAIN]));
        });
    """
    modules = [
        ScriptModule("worker.js", ModuleType.COMMON_JS, body.encode()),
        ScriptModule("add.wasm", ModuleType.WASM, ADD_WASM),
        ScriptModule("note", ModuleType.TEXT, b"note"),
        ScriptModule("blob", ModuleType.DATA, b"\x09"),
    ]
    bindings = [
        StoredBinding(name="ADD", type="wasm_module", part="add.wasm"),
        StoredBinding(name="NOTE", type="text_blob", part="note"),
        StoredBinding(name="BLOB", type="data_blob", part="blob"),
    ]
    manifest = ScriptManifest(v=1, body_part="worker.js", bindings=bindings)
    put_script(storage.objects(), "acme/sw/1/", modules, manifest)
    plain = PlanBinding(name="PLAIN", kind=PlanBindingKind.TEXT, value='with "quotes" and \\ and \n and ü')

    assert steps.fetch(row("sw", sources=["acme/sw/1"], bindings=[plain])).code == 0
    assert steps.check().code == 0

    with running(workerd, steps.context / "worker/config.capnp", {"sw": 0}) as workers:
        assert workers.ask("sw").json() == [2, "note", 9, 'with "quotes" and \\ and \n and ü']


def test_a_broken_script_is_named_with_workerds_own_words_and_the_others_are_not(steps: Steps, script: Script) -> None:
    rows = [
        row("good", 8080, sources=[script(GOOD)]),
        row("broken", 8081, sources=[script("export default { fetch( };")]),
        row("endless", 8082, sources=[script("for (;;) {}\nexport default {};")]),
        row("dated", 8083, sources=[script(GOOD)], compatibility_date="2999-01-01"),
    ]
    assert steps.fetch(*rows).code == 0

    ended = steps.check("-preflight-timeout=2s")

    assert (ended.code, ended.termination["ok"], ended.termination["reason"]) == (42, False, "ScriptInvalid")
    messages = {each["scriptName"]: each["message"] for each in ended.termination["failedScripts"]}
    assert list(messages) == ["broken", "endless", "dated"]
    assert messages["broken"].startswith("Uncaught SyntaxError")
    assert messages["endless"].startswith("did not start within")
    assert "2999-01-01" in messages["dated"]
    assert ended.stderr.count("\n") == 3


def test_an_entrypoint_that_the_other_script_lacks_is_blamed_on_who_asks_for_it(steps: Steps, script: Script) -> None:
    binding = PlanBinding(name="X", kind=PlanBindingKind.SERVICE, service="x", entrypoint="Admin")
    rows = [
        row("x", 8080, sources=[script(GOOD)]),
        row("y", 8081, sources=[script(GOOD)], bindings=[binding]),
    ]
    assert steps.fetch(*rows).code == 0

    ended = steps.check()

    assert ended.code == 42
    assert [each["scriptName"] for each in ended.termination["failedScripts"]] == ["y"]


def test_a_module_that_is_not_what_was_uploaded_is_refused(steps: Steps, storage: Storage) -> None:
    manifest = ScriptManifest(v=1, main_module="index.js")
    put_script(
        storage.objects(), "acme/changed/1/", [ScriptModule("index.js", ModuleType.ES_MODULE, GOOD.encode())], manifest
    )
    storage.put("acme/changed/1/files/0", GOOD.replace("good", "evil"))

    ended = steps.fetch(row("changed", sources=["acme/changed/1"]))

    assert (ended.code, ended.termination["reason"]) == (42, "ScriptBroken")


def test_a_single_file_and_an_allowed_bucket_are_sources_too(steps: Steps, storage: Storage) -> None:
    storage.put("single/worker.mjs", GOOD)
    storage.put("elsewhere/index.js", GOOD, bucket=ALLOWED_BUCKET)

    ended = steps.fetch(
        row("single", 8080, sources=["single/worker.mjs"]),
        row("elsewhere", 8081, sources=[f"s3://{ALLOWED_BUCKET}/elsewhere/"]),
        egress=Egress.NONE,
    )

    assert ended.code == 0
    assert '( name = "worker.mjs", esModule = embed "w0/m0" )' in steps.config
    assert "allow = []" in steps.config


# Upstream's tool took the first page only, and the keys of every script whose name begins alike.
def test_all_pages_of_a_folder_are_listed_and_nothing_of_its_siblings(storage: Storage) -> None:
    for name in ("script/a.js", "script/b.js", "script/c.js", "script/d/e.js", "script/f.js", "script-of-another/x.js"):
        storage.put(f"many/{name}", GOOD)
    objects = connect_storage(storage.settings(page_keys=2))

    found = [entry.key for entry in objects.list("many/script/")]

    assert found == [f"many/script/{name}" for name in ("a.js", "b.js", "c.js", "d/e.js", "f.js")]


def test_a_prefix_is_deleted_with_all_its_pages_and_without_its_siblings(storage: Storage) -> None:
    for name in ("gone/a", "gone/b", "gone/c", "gone-not/a"):
        storage.put(f"deleted/{name}", "x")
    objects = connect_storage(storage.settings(page_keys=2))

    assert objects.delete_prefix("deleted/gone/") == 3
    assert objects.delete_prefix("deleted/gone/") == 0

    assert storage.keys("deleted/") == ["deleted/gone-not/a"]


def test_a_storage_that_is_down_ends_with_1_so_that_the_job_tries_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, storage: Storage
) -> None:
    class Down:
        url = "http://127.0.0.1:9"

    steps = Steps(tmp_path, Down())  # type: ignore[arg-type]  # only its address is asked for

    ended = steps.fetch(row("any"))

    assert (ended.code, ended.termination["reason"]) == (1, "StorageUnavailable")
    assert "failedScripts" not in ended.termination


def test_a_bucket_that_is_not_there_is_a_refusal_and_no_absent_object(storage: Storage) -> None:
    objects = connect_storage(storage.settings(bucket="not-there"))

    with pytest.raises(StorageRefused, match="NoSuchBucket"):
        objects.get("any")
    with pytest.raises(StorageRefused, match="NoSuchBucket"):
        objects.check()
    assert storage.objects().get("not-there-either") is None


def test_the_files_of_a_profile_say_who_asks_and_where(
    storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_PROFILE", "default")
    credentials, config = tmp_path / "credentials", tmp_path / "config"
    credentials.write_text(f"[default]\naws_access_key_id = {KEY_ID}\naws_secret_access_key = {SECRET_KEY}\n")
    config.write_text(f"[default]\nregion = us-east-1\nendpoint_url = {storage.url}\n")
    storage.put("profile/index.js", GOOD)
    settings = StorageSettings(bucket=BUCKET, credentials_file=credentials, config_file=config)

    assert connect_storage(settings).get("profile/index.js") == GOOD.encode()
