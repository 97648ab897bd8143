"""Objects that a new schema does not allow are changed on the real server, without effect, and judged by ours."""

from typing import Any

import pytest

from framework.apiserver.fields import FieldError
from framework.apiserver.objects import Object
from framework.apiserver.schema import StructuralSchema
from tests.conformance.api import Api
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.schema.conftest import DEFINITIONS, Define
from tests.conformance.schema.definition import GROUP, VERSION, definition
from tests.conformance.schema.updates import CASES, OLD, STATUSES, schema
from tests.conformance.schema.verdict import copied, our_verdict, verdict_of

KIND, PLURAL = "Tightened", "tighteneds"
STRICT = StructuralSchema(schema(is_strict=True))


@pytest.fixture(scope="module")
def resources(server: Api, define: Define) -> str:
    """Objects of a lax schema, which then becomes strict."""
    lax, strict = (
        definition(schema(is_strict=is_strict), PLURAL, KIND, subresources={"status": {}})
        for is_strict in (False, True)
    )
    path = define(lax)
    for name, spec in OLD.items():
        _create(server, path, name, spec)
    for at, (_, status, _) in enumerate(STATUSES):
        _create(server, path, f"status-{at}", {"must": "be"}, status)
    place = f"{DEFINITIONS}/{strict['metadata']['name']}"
    reply = server.put(place, {**server.get(place).document, "spec": strict["spec"]})
    assert reply.status == 200, reply.body
    eventually(lambda: _is_refused(server, path), bool)
    return path


@pytest.mark.parametrize(("name", "spec"), [pytest.param(name, spec, id=what) for what, name, spec in CASES])
def test_both_servers_say_the_same_of_a_change(server: Api, resources: str, name: str, spec: Any) -> None:
    old = server.get(f"{resources}/{name}").document
    new = {**copied(old), "spec": spec}

    reply = server.put(f"{resources}/{name}", new, query={"dryRun": "All"})

    def judge(obj: Object) -> list[FieldError]:
        return STRICT.validate_update(obj, old)

    assert our_verdict(copied(new), judge, code=200) == verdict_of(reply)


@pytest.mark.parametrize("at", [pytest.param(at, id=what) for at, (what, _, _) in enumerate(STATUSES)])
def test_both_servers_say_the_same_of_a_change_of_status(server: Api, resources: str, at: int) -> None:
    path = f"{resources}/status-{at}"
    old = server.get(path).document
    new = {**copied(old), "status": STATUSES[at][2]}

    reply = server.put(f"{path}/status", new, query={"dryRun": "All"})

    def judge(obj: Object) -> list[FieldError]:
        return STRICT.validate_status_update(obj, old)

    assert our_verdict(copied(new), judge, code=200) == verdict_of(reply)


def _create(server: Api, path: str, name: str, spec: Any, status: Any = None) -> None:
    head = {"apiVersion": f"{GROUP}/{VERSION}", "kind": KIND, "metadata": {"name": name}}
    reply = server.create(path, {**head, "spec": spec})
    assert reply.status == 201, reply.body
    if status is not None:
        reply = server.put(f"{path}/{name}/status", {**reply.document, "status": status})
        assert reply.status == 200, reply.body


def _is_refused(server: Api, path: str) -> bool:
    head = {"apiVersion": f"{GROUP}/{VERSION}", "kind": KIND, "metadata": {"name": "probe"}}
    return server.create(path, {**head, "spec": {}}, query={"dryRun": "All"}).status == 422
