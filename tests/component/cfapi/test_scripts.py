"""A script after its upload: versions, deployments, settings, secrets, references, deletion."""

import re
from typing import Any

import pytest

from apis.cfworker.workerdeployment import WorkerDeployment
from apis.meta import Key
from framework.testing.control_plane.waiting import wait_until
from tests.component.cfapi.world import World, hello

SCRIPT = "/accounts/acme/workers/scripts/hello"


def deployed(world: World, **metadata: Any) -> str:
    """The id of the version."""
    world.result("PUT", SCRIPT, files=hello(**metadata))
    return world.deployment("hello").spec.template.version_id


def deploy(version: str, percentage: int = 100) -> dict[str, Any]:
    return {"strategy": "percentage", "versions": [{"version_id": version, "percentage": percentage}]}


def test_version_shows_its_bindings_and_the_names_of_secrets(world: World) -> None:
    version = deployed(world, bindings=[{"name": "A", "type": "plain_text", "text": "x"}])
    world.result("PUT", f"{SCRIPT}/secrets", json={"name": "KEY", "text": "s3cr3t", "type": "secret_text"})

    result = world.result("GET", f"{SCRIPT}/versions/{version}")

    assert (result["id"], result["number"]) == (version, 1)
    assert result["metadata"]["author_email"] == "dev@example.com"
    assert result["resources"]["bindings"] == [
        {"name": "A", "type": "plain_text", "text": "x"},
        {"name": "KEY", "type": "secret_text"},
    ]
    assert result["resources"]["script_runtime"]["compatibility_date"] == "2024-01-01"
    assert world.error("GET", f"{SCRIPT}/versions/nonsense") == (404, 10007)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"versions": []}, (400, 10400)),
        (deploy("nonsense"), (404, 10007)),
        (deploy("nonsense", 50), (400, 10400)),
        ({"strategy": "magic", "versions": []}, (400, 10400)),
        ({"versions": "all"}, (400, 10001)),
        ([], (400, 10001)),
    ],
)
def test_deployment_of_anything_but_one_whole_version_is_refused(
    shared_script: World, body: Any, expected: tuple[int, int]
) -> None:
    assert shared_script.error("POST", f"{SCRIPT}/deployments", json=body) == expected


def test_rollback_by_other_means_is_the_current_deployment(world: World) -> None:
    first = deployed(world)
    second = deployed(world)
    (release, _) = world.releases()
    key = Key(world.namespace, "acme.hello")
    world.client.merge_patch(WorkerDeployment, key, {"spec": {"activeRelease": release.metadata.name}})

    deployments = world.result("GET", f"{SCRIPT}/deployments")["deployments"]

    assert [entry["versions"][0]["version_id"] for entry in deployments] == [first, second, first]


def test_history_has_the_newest_ten(world: World) -> None:
    version = deployed(world)
    for _ in range(11):
        world.result("POST", f"{SCRIPT}/deployments", json=deploy(version))

    assert len(world.result("GET", f"{SCRIPT}/deployments")["deployments"]) == 10


def test_patch_of_the_latest_version_is_a_version_with_the_same_code(world: World) -> None:
    bindings = [{"name": name, "type": "plain_text", "text": name} for name in ("KEPT", "CHANGED", "GONE")]
    first = deployed(world, bindings=[*bindings, {"name": "OLD", "type": "secret_text", "text": "s3cr3t"}])
    env = {
        "CHANGED": {"type": "plain_text", "text": "new"},
        "GONE": None,
        "OLD": None,
        "NEW": {"type": "secret_text", "text": "s3cr3t-too"},
    }

    path = world.workers("/workers/hello/versions/latest")
    result = world.result("PATCH", path, json={"env": env, "annotations": {"workers/message": "changed"}})

    deployment = world.deployment("hello")
    assert deployment.spec.active_release == first != result["id"] == deployment.spec.template.version_id
    assert {each.name: each.text for each in deployment.spec.template.bindings} == {"KEPT": "KEPT", "CHANGED": "new"}
    assert world.secret("hello") == {"NEW": b"s3cr3t-too"}
    code = [world.object(f"acme/hello/{version}/files/0") for version in (first, result["id"])]
    assert code[0] == code[1]


def test_code_is_given_back_as_it_was_uploaded(world: World) -> None:
    version = deployed(world)

    answer = world.request("GET", f"{SCRIPT}/content/v2?version={version}")

    assert answer.headers["cf-entrypoint"] == "index.js"
    assert re.match("multipart/form-data; boundary=", answer.headers["content-type"])
    assert 'name="index.js"' in answer.text
    assert "application/javascript+module" in answer.text
    assert 'new Response("hello")' in answer.text


def test_settings_are_echoed(world: World) -> None:
    deployed(world, observability={"enabled": True}, logpush=True)
    path = f"{SCRIPT}/script-settings"
    assert world.result("GET", path)["observability"] == {"enabled": True}

    changed = world.result("PATCH", path, json={"logpush": False, "tags": ["a"], "nonsense": 1})

    assert changed == world.result("GET", path)
    assert changed == {"logpush": False, "tail_consumers": None, "observability": {"enabled": True}, "tags": ["a"]}


def test_script_that_is_disabled_is_not_exposed(world: World) -> None:
    deployed(world)
    path = f"{SCRIPT}/subdomain"
    assert world.result("GET", path) == {"enabled": True, "previews_enabled": False}

    world.result("POST", path, json={"enabled": False, "previews_enabled": True})

    assert world.result("GET", path) == {"enabled": False, "previews_enabled": True}
    assert world.deployment("hello").metadata.annotations["api.cf-worker/exposed"] == "false"
    worker = world.workers("/workers/hello")
    world.result("PATCH", worker, json={"subdomain": {"enabled": True}, "tags": ["b"]})
    shown = world.result("GET", worker)
    assert (shown["subdomain"], shown["tags"]) == ({"enabled": True, "previews_enabled": True}, ["b"])
    assert "api.cf-worker/exposed" not in world.deployment("hello").metadata.annotations


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("PUT", "/secrets", {"name": "1A", "text": "x"}, (400, 10021)),
        ("PUT", "/secrets", {"name": "A.B", "text": "x"}, (400, 10021)),
        ("PUT", "/secrets", {"name": "A" * 129, "text": "x"}, (400, 10021)),
        ("PUT", "/secrets", {"name": "A", "text": "x" * 65537}, (400, 10053)),
        ("PUT", "/secrets", {"name": "PLAIN", "text": "x"}, (400, 10053)),
        ("PUT", "/secrets", {"name": "A", "text": 7}, (400, 10001)),
        ("PUT", "/secrets", {"name": "A"}, (400, 10001)),
        ("PUT", "/secrets", {"name": "A", "text": "x", "type": "secret_key"}, (400, 10400)),
        ("PATCH", "/secrets-bulk", {"secrets": {"A": {"text": "x"}, "2": None}}, (400, 10021)),
        ("PATCH", "/secrets-bulk", {"secrets": []}, (400, 10001)),
        ("DELETE", "/secrets/ABSENT", None, (404, 10056)),
        ("GET", "/secrets/ABSENT", None, (404, 10056)),
        ("PUT", "/schedules", [{"cron": "* * * * *"}], (400, 10400)),
        ("PATCH", "/script-settings", [], (400, 10001)),
        ("POST", "/subdomain", {"enabled": "yes"}, (400, 10001)),
        ("POST", "/tails", {}, (400, 10400)),
        ("POST", "/assets-upload-session", {}, (400, 10400)),
    ],
)
def test_bad_request_about_a_script_changes_nothing(
    shared_script: World, method: str, path: str, body: Any, expected: tuple[int, int]
) -> None:
    before = shared_script.deployment("hello").metadata.resource_version

    assert shared_script.error(method, f"{SCRIPT}{path}", json=body) == expected

    assert shared_script.deployment("hello").metadata.resource_version == before
    assert shared_script.secret("hello") == {}


def test_bulk_sets_and_deletes_secrets_at_once(world: World) -> None:
    deployed(world)
    world.result("PATCH", f"{SCRIPT}/secrets-bulk", json={"secrets": {"A": {"text": "1"}, "B": {"text": "2"}}})

    result = world.result("PATCH", f"{SCRIPT}/secrets-bulk", json={"secrets": {"A": None, "C": {"text": "3"}}})

    assert [each["name"] for each in result] == ["B", "C"]
    assert world.secret("hello") == {"B": b"2", "C": b"3"}


def test_script_that_others_call_is_deleted_only_by_force(world: World) -> None:
    deployed(world)
    caller = hello(bindings=[{"name": "HELLO", "type": "service", "service": "hello"}])
    world.result("PUT", world.workers("/scripts/caller"), files=caller)

    references = world.result("GET", f"{SCRIPT}/references")["services"]
    assert references["incoming"] == [{"service": "caller", "environment": "production", "name": "HELLO"}]
    assert world.error("DELETE", world.workers("/services/hello?force=false")) == (400, 10064)
    assert {script["id"] for script in world.result("GET", world.workers("/scripts"))} == {"hello", "caller"}

    world.result("DELETE", world.workers("/services/hello?force=true"))

    assert wait_until(lambda: world.error("GET", f"{SCRIPT}/settings") == (404, 10007), limit_seconds=10)
    assert world.error("DELETE", world.workers("/services/hello")) == (404, 10090)


def test_no_value_of_a_secret_is_in_a_log_or_an_answer(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    answers = [
        world.request("PUT", SCRIPT, files=hello(bindings=[{"name": "A", "type": "secret_text", "text": "hush-1"}])),
        world.request("PUT", f"{SCRIPT}/secrets", json={"name": "B", "text": "hush-2"}),
        world.request("PUT", f"{SCRIPT}/secrets", json={"name": "not a name", "text": "hush-3"}),
        world.request("PUT", f"{SCRIPT}/secrets", data=b'{"name": "C", "text": "hush-4"'),
        world.request("PUT", f"{SCRIPT}/secrets", json={"name": "C", "text": ["hush-5"]}),
        world.request("PATCH", f"{SCRIPT}/secrets-bulk", json={"secrets": {"D": {"text": "hush-6", "type": "x"}}}),
        world.request("GET", f"{SCRIPT}/settings"),
        world.request("GET", f"{SCRIPT}/secrets"),
    ]

    said = capfd.readouterr()
    everything = "".join([said.out, said.err, *(answer.text for answer in answers)])
    assert [answer.status_code for answer in answers] == [200, 200, 400, 400, 400, 400, 200, 200]
    assert "hush" not in everything
    assert "token-that-writes" not in everything
    deployment = str(world.deployment("hello"))
    assert "hush" not in deployment
