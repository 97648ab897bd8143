"""Uploads that the real workerd looks at first: scenario 12, as far as it is about the API."""

import pytest

from controllers.cfapi.preflight import WorkerdCheck
from controllers.workerbuild.preflight import PreflightOptions
from framework.runtime import ThreadRuntime
from tests.component.cfapi.world import ES_MODULE, MakeWorld, World, form, hello
from tests.integration.workers_build.parts import workerd_binary

SCRIPT = "/accounts/acme/workers/scripts/hello"
MODULE = {"main_module": "index.js", "compatibility_date": "2024-01-01"}


@pytest.fixture
def checked_world(make_world: MakeWorld) -> World:
    options = PreflightOptions(workerd=workerd_binary(), timeout_seconds=30.0)
    return make_world(check=WorkerdCheck(options, ThreadRuntime()))


def test_workerd_decides_what_is_stored(checked_world: World) -> None:
    world = checked_world
    broken = form(MODULE, ("index.js", "export default {", ES_MODULE))
    answer = world.request("PUT", SCRIPT, files=broken)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, 10021)
    assert "SyntaxError" in answer.json()["errors"][0]["message"]
    assert world.keys() == []

    # A service that is not there, a secret that is not known and every kind of binding are no faults.
    bindings = [
        {"name": "OTHER", "type": "service", "service": "absent"},
        {"name": "TEXT", "type": "plain_text", "text": 'a "quoted" \\ text\n'},
        {"name": "JSON", "type": "json", "json": {"a": [1, None]}},
        {"name": "VERSION", "type": "version_metadata"},
        {"name": "KEY", "type": "secret_text", "text": "s3cr3t"},
    ]
    world.result("PUT", SCRIPT, files=hello(bindings=bindings))

    # A service worker with a file of its own.
    metadata = {"body_part": "script", "bindings": [{"name": "NOTE", "type": "text_blob", "part": "note"}]}
    body = 'addEventListener("fetch", (event) => event.respondWith(new Response(NOTE)));'
    files = form(metadata, ("script", body, "application/javascript"), ("note", "hi", "text/plain"))
    world.result("PUT", world.workers("/scripts/old"), files=files)
