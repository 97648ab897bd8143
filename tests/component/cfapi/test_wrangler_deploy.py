"""The real wrangler against the API: scenarios 1, 2, 4, 5, 10, 28 as far as they are about the API."""

import json
from pathlib import Path

import pytest

from framework.testing.control_plane.waiting import wait_until
from tests.component.cfapi.world import MakeWorld, World
from tests.component.cfapi.wrangler import Wrangler


def test_first_deploy_stores_the_code_and_makes_one_release(world: World, wrangler: Wrangler) -> None:
    wrangler.answers("hello", "one")

    said = wrangler("deploy")

    assert "Uploaded hello" in said
    version = world.deployment("hello").spec.template.version_id
    assert version in said
    # Newer ones upload a source map too.
    assert world.keys()[:2] == [f"acme/hello/{version}/_worker.json", f"acme/hello/{version}/files/0"]
    (release,) = world.releases()
    assert release.spec.version_id == version
    assert release.metadata.annotations["api.cf-worker/revision"] == "1"
    assert release.metadata.labels["accounts"] == "acme"


def test_versions_deployments_and_rollback_go_from_one_release_to_the_other(world: World, wrangler: Wrangler) -> None:
    wrangler.answers("hello", "one")
    wrangler("deploy")
    first = world.deployment("hello").spec.template.version_id

    # The second deploy of a module is an upload and a deployment of its own.
    wrangler.answers("hello", "two")
    said = wrangler("deploy", "--message", "the second")
    deployment = world.deployment("hello")
    second = deployment.spec.template.version_id
    assert second in said
    assert deployment.spec.active_release == second != first

    # An upload that is not deployed serves nobody.
    wrangler.answers("hello", "three")
    said = wrangler("versions", "upload", "--message", "the third", "--tag", "v3")
    deployment = world.deployment("hello")
    third = deployment.spec.template.version_id
    assert third in said
    assert deployment.spec.active_release == second
    assert [release.spec.version_id for release in world.releases()] == [first, second, third]

    wrangler("versions", "deploy", f"{third}@100%", "--yes")
    assert world.deployment("hello").spec.active_release == third

    wrangler("rollback", first, "--yes", "--message", "back")
    assert world.deployment("hello").spec.active_release == first

    # Each command names the versions, in its own way.
    listed = json.loads(wrangler("deployments", "list", "--json"))
    assert [entry["versions"][0]["version_id"] for entry in listed] == [first, second, third, first]
    assert listed[-1]["annotations"]["workers/message"] == "back"
    assert first in wrangler("deployments", "status")
    versions = json.loads(wrangler("versions", "list", "--json"))
    assert [(version["id"], version["number"]) for version in versions] == [(first, 1), (second, 2), (third, 3)]
    viewed = wrangler("versions", "view", third)
    assert third in viewed
    assert "the third" in viewed
    assert "v3" in viewed

    wrangler("delete", "--force")
    assert wait_until(lambda: world.error("GET", world.workers("/services/hello")) == (404, 10090), limit_seconds=10)
    assert "10007" in wrangler("deployments", "list", code=1)


def test_secrets_are_put_listed_and_deleted_by_name(world: World, wrangler: Wrangler) -> None:
    wrangler.answers("hello", "one", vars={"GREETING": "hi"})
    wrangler("deploy")

    wrangler("secret", "put", "API_KEY", stdin="s3cr3t-one")
    wrangler("secret", "put", "API_KEY", stdin="s3cr3t-two")
    bulk = json.dumps({"TOKEN": "s3cr3t-three", "OTHER": "s3cr3t-four"})
    wrangler("secret", "bulk", stdin=bulk)

    assert world.secret("hello") == {"API_KEY": b"s3cr3t-two", "TOKEN": b"s3cr3t-three", "OTHER": b"s3cr3t-four"}
    listed = json.loads(wrangler("secret", "list"))
    assert listed == [{"name": name, "type": "secret_text"} for name in ("API_KEY", "OTHER", "TOKEN")]

    wrangler("secret", "delete", "OTHER", stdin="y\n")
    assert sorted(world.secret("hello")) == ["API_KEY", "TOKEN"]

    # Secrets survive the next upload, and are none of its bindings.
    wrangler.answers("hello", "two", vars={"GREETING": "hi"})
    wrangler("deploy")
    assert sorted(world.secret("hello")) == ["API_KEY", "TOKEN"]
    assert [binding.name for binding in world.deployment("hello").spec.template.bindings] == ["GREETING"]


def test_secret_of_a_worker_that_is_not_there_makes_a_worker(world: World, wrangler: Wrangler) -> None:
    wrangler.answers("hello", "one")

    wrangler("secret", "put", "API_KEY", stdin="s3cr3t")

    assert world.secret("hello") == {"API_KEY": b"s3cr3t"}
    assert len(world.releases()) == 1


def test_secret_of_a_version_is_in_the_next_version(world: World, wrangler: Wrangler) -> None:
    wrangler.answers("hello", "one")
    wrangler("deploy")
    first = world.deployment("hello").spec.template.version_id

    wrangler("versions", "secret", "put", "API_KEY", stdin="s3cr3t")

    deployment = world.deployment("hello")
    assert deployment.spec.active_release == first != deployment.spec.template.version_id
    assert world.secret("hello") == {"API_KEY": b"s3cr3t"}


def test_whoami_names_the_account(world: World, wrangler: Wrangler) -> None:
    said = wrangler.without_account()("whoami")

    assert "acme" in said
    assert "dev@example.com" in said


@pytest.mark.parametrize(
    ("token", "code"), [("nonsense", "10000"), ("token-of-another-account", "10000"), ("token-that-reads", "10000")]
)
def test_deploy_with_a_token_that_may_not_fails_with_the_code(
    program: Path, world: World, tmp_path: Path, token: str, code: str
) -> None:
    wrangler = Wrangler(program, world.base_url, tmp_path, token)
    wrangler.answers("hello", "one")

    said = wrangler("deploy", code=1)

    assert f"[code: {code}]" in said
    assert world.keys() == []


def test_service_worker_is_uploaded_whole_each_time(world: World, wrangler: Wrangler) -> None:
    code = 'addEventListener("fetch", (event) => event.respondWith(new Response("one")));'
    wrangler.write("old", code)
    wrangler("deploy")
    first = world.deployment("old")

    wrangler.write("old", code.replace("one", "two"))
    wrangler("deploy")

    second = world.deployment("old")
    assert first.spec.active_release != second.spec.active_release == second.spec.template.version_id
    manifest = json.loads(world.object(f"acme/old/{second.spec.template.version_id}/_worker.json"))
    assert manifest["bodyPart"] == "index.js"


def test_worker_that_is_too_large_is_refused_with_the_code(
    program: Path, make_world: MakeWorld, tmp_path: Path
) -> None:
    world = make_world(max_upload_bytes=1_000_000)
    wrangler = Wrangler(program, world.base_url, tmp_path)
    wrangler.answers("hello", "x" * 3_000_000)

    said = wrangler("deploy", code=1)

    assert "[code: 10027]" in said
    assert world.keys() == []
