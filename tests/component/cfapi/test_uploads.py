"""What an upload leaves behind, and what it does not."""

import json
from typing import Any

import pytest

from apis.cfworker.workerdeployment import WorkerDeployment
from tests.component.cfapi.world import ES_MODULE, HELLO, MakeWorld, Part, World, form, hello

SCRIPT = "/accounts/acme/workers/scripts/hello"
MAIN = ("index.js", HELLO, ES_MODULE)
MODULE = {"main_module": "index.js", "compatibility_date": "2024-01-01"}


def nothing_was_stored(world: World) -> bool:
    return world.keys() == [] and world.client.list(WorkerDeployment, world.namespace) == []


@pytest.mark.parametrize(
    "name", ["../../etc/x", "/abs", "a\\b", "a//b", "./a", "a/..", "x" * 513, "tab\there", "index.js"]
)
def test_module_with_a_hostile_name_is_refused(quiet_world: World, name: str) -> None:
    files = form(MODULE, MAIN, (name, "x", "text/plain"))

    assert quiet_world.error("PUT", SCRIPT, files=files) == (400, 10021)
    assert nothing_was_stored(quiet_world)


def test_form_with_too_many_parts_is_refused(quiet_world: World) -> None:
    files = form(MODULE, MAIN, *((f"m{number}.txt", "x", "text/plain") for number in range(2000)))

    assert quiet_world.error("PUT", SCRIPT, files=files) == (413, 10027)
    assert nothing_was_stored(quiet_world)


def test_large_modules_within_the_limit_are_stored(world: World) -> None:
    files = form(MODULE, MAIN, ("blob.bin", b"\0" * 20_000_000, "application/octet-stream"))

    world.result("PUT", SCRIPT, files=files)

    version = world.deployment("hello").spec.template.version_id
    sizes = {entry.key: entry.size for entry in world.objects.list(f"acme/hello/{version}/")}
    assert sizes[f"acme/hello/{version}/files/1"] == 20_000_000


@pytest.mark.parametrize("script", ["Foo%2F..%2Fbar", "UPPER", "-dash", "a" * 64, "%00"])
def test_script_with_a_hostile_name_is_refused(quiet_world: World, script: str) -> None:
    assert quiet_world.error("PUT", quiet_world.workers(f"/scripts/{script}"), files=hello()) == (400, 10021)
    assert nothing_was_stored(quiet_world)


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        (b"{", (400, 10001)),
        (b"[]", (400, 10001)),
        (b"\xff", (400, 10001)),
        ({"main_module": 7}, (400, 10001)),
        ({}, (400, 10021)),
        ({"main_module": "absent.js"}, (400, 10021)),
        ({"main_module": "index.js", "body_part": "index.js"}, (400, 10021)),
        ({"body_part": "index.js"}, (400, 10021)),
        ({**MODULE, "compatibility_date": "2024-13-01"}, (400, 10021)),
        ({**MODULE, "compatibility_date": "2999-01-01"}, (400, 10021)),
        ({**MODULE, "annotations": {"workers/message": "x" * 1001}}, (400, 10021)),
        ({**MODULE, "migrations": {"new_tag": "v1"}}, (400, 10400)),
        ({**MODULE, "assets": {"jwt": "x"}}, (400, 10400)),
        ({**MODULE, "bindings": [{"name": "KV", "type": "kv_namespace", "namespace_id": "x"}]}, (400, 10400)),
        ({**MODULE, "bindings": [{"name": "A", "type": "inherit"}]}, (400, 10057)),
        ({**MODULE, "bindings": [{"name": "A", "type": "plain_text", "text": "x" * 40000}]}, (400, 10021)),
        ({**MODULE, "bindings": [{"name": "A", "type": "plain_text", "text": "x"}] * 2}, (400, 10021)),
        ({**MODULE, "bindings": [{"name": "not a name", "type": "secret_text", "text": "x"}]}, (400, 10021)),
        ({**MODULE, "bindings": [{"name": "A", "type": "secret_text", "text": "x" * 70000}]}, (400, 10053)),
    ],
)
def test_bad_metadata_is_refused(quiet_world: World, metadata: Any, expected: tuple[int, int]) -> None:
    assert quiet_world.error("PUT", SCRIPT, files=form(metadata, MAIN)) == expected
    assert nothing_was_stored(quiet_world)


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (b"{}", "application/json", (400, 10001)),
        (b"", "multipart/form-data; boundary=x", (400, 10001)),
        (b"--x\r\nnonsense", "multipart/form-data; boundary=x", (400, 10001)),
        (b"--x--\r\n", "multipart/form-data; boundary=x", (400, 10021)),
        (b"", "multipart/form-data", (400, 10001)),
    ],
)
def test_body_that_is_no_form_is_refused(
    quiet_world: World, body: bytes, content_type: str, expected: tuple[int, int]
) -> None:
    assert quiet_world.error("PUT", SCRIPT, data=body, headers={"Content-Type": content_type}) == expected


def test_python_is_refused(quiet_world: World) -> None:
    files = form({"main_module": "main.py"}, ("main.py", "pass", "text/x-python"))

    assert quiet_world.error("PUT", SCRIPT, files=files) == (400, 10021)


def test_every_module_and_all_metadata_are_kept(world: World) -> None:
    bindings: list[dict[str, Any]] = [
        {"name": "GREETING", "type": "plain_text", "text": "hi"},
        {"name": "LIMITS", "type": "json", "json": {"a": 1}},
        {"name": "OTHER", "type": "service", "service": "api", "entrypoint": "Admin"},
        {"name": "VERSION", "type": "version_metadata"},
        {"name": "API_KEY", "type": "secret_text", "text": "s3cr3t"},
    ]
    metadata = {
        **MODULE,
        "bindings": bindings,
        "compatibility_flags": ["nodejs_compat"],
        "annotations": {"workers/tag": "v1", "workers/message": "first\n", "else": "x"},
        "placement": {"mode": "smart"},
    }
    modules: list[Part] = [
        MAIN,
        ("sub/z.cjs", "module.exports = 1", "application/javascript"),
        ("sub/add.wasm", b"\0asm\1\0\0\0", "application/wasm"),
        ("without-extension", "text", "text/plain"),
        ("index.js.map", "{}", "application/source-map"),
    ]

    answer = world.request("PUT", SCRIPT, files=form(metadata, *modules)).json()

    assert ["placement" in message["message"] for message in answer["messages"]] == [True]
    template = world.deployment("hello").spec.template
    assert [(binding.name, binding.type.value) for binding in template.bindings] == [
        (binding["name"], binding["type"]) for binding in bindings if binding["type"] != "secret_text"
    ]
    manifest = json.loads(world.object(f"acme/hello/{template.version_id}/_worker.json"))
    assert [(module["name"], module["type"]) for module in manifest["modules"]] == [
        ("index.js", "esModule"),
        ("sub/z.cjs", "commonJsModule"),
        ("sub/add.wasm", "wasm"),
        ("without-extension", "text"),
        ("index.js.map", "sourceMap"),
    ]
    assert (template.compatibility_date, template.compatibility_flags) == ("2024-01-01", ["nodejs_compat"])
    annotations = world.releases()[0].metadata.annotations
    assert (annotations["workers/tag"], annotations["workers/message"]) == ("v1", "first")
    assert "else" not in annotations
    assert world.secret("hello") == {"API_KEY": b"s3cr3t"}
    assert b"s3cr3t" not in b"".join(world.object(key) for key in world.keys("hello"))


def test_bindings_stay_only_if_the_next_upload_says_so(world: World) -> None:
    bindings = [
        {"name": "TEXT", "type": "plain_text", "text": "a"},
        {"name": "JSON", "type": "json", "json": [1]},
        {"name": "KEY", "type": "secret_text", "text": "s3cr3t"},
    ]
    world.result("PUT", SCRIPT, files=hello(bindings=bindings))

    again = [{"name": "JSON", "type": "inherit"}, {"name": "KEY", "type": "inherit"}]
    world.result("PUT", SCRIPT, files=hello(bindings=again))
    assert [binding.name for binding in world.deployment("hello").spec.template.bindings] == ["JSON"]

    world.result("PUT", SCRIPT, files=hello(keep_bindings=["json", "secret_text"]))
    assert [binding.name for binding in world.deployment("hello").spec.template.bindings] == ["JSON"]

    world.result("PUT", SCRIPT, files=hello(keep_bindings=["plain_text"]))
    assert world.deployment("hello").spec.template.bindings == []
    assert list(world.secret("hello")) == ["KEY"]


def test_binding_with_the_name_of_a_secret_is_refused(world: World) -> None:
    world.result("PUT", SCRIPT, files=hello(bindings=[{"name": "KEY", "type": "secret_text", "text": "s3cr3t"}]))
    before = world.keys()

    files = hello(bindings=[{"name": "KEY", "type": "plain_text", "text": "x"}])

    assert world.error("PUT", SCRIPT, files=files) == (400, 10053)
    assert world.keys() == before


def test_version_of_a_worker_that_is_not_there_is_refused(quiet_world: World) -> None:
    assert quiet_world.error("POST", f"{SCRIPT}/versions", files=hello()) == (404, 10007)
    assert nothing_was_stored(quiet_world)


def test_two_uploads_of_the_same_code_are_two_versions(world: World) -> None:
    for _ in range(2):
        world.result("PUT", SCRIPT, files=hello())

    assert len({release.spec.version_id for release in world.releases()}) == 2


def test_script_that_fails_the_preflight_is_refused_with_its_words(make_world: MakeWorld) -> None:
    world = make_world(check=Refusing("Uncaught SyntaxError: Unexpected identifier"))

    answer = world.request("PUT", SCRIPT, files=hello())

    assert answer.status_code == 400
    error = {"code": 10021, "message": "Uncaught SyntaxError: Unexpected identifier"}
    assert answer.json()["errors"] == [error]
    assert nothing_was_stored(world)


class Refusing:
    def __init__(self, message: str) -> None:
        self._message = message

    def problem(self, *_: object) -> str:
        return self._message
