"""Each definition is created on the real server, without effect, and judged by us: both must say the same."""

from typing import Any

import pytest

from framework.apiserver.fields import FieldError
from framework.apiserver.objects import Object
from framework.apiserver.schema import default_definition, validate_definition, validate_definition_update
from tests.conformance.api import Api
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.schema.conftest import DEFINITIONS, Define
from tests.conformance.schema.definitions import CASES, UPDATABLE, UPDATES
from tests.conformance.schema.verdict import Verdict, copied, our_verdict, verdict_of


@pytest.mark.parametrize("definition", [pytest.param(made, id=name) for name, made in CASES])
def test_both_servers_say_the_same_of_a_definition(server: Api, definition: Any) -> None:
    reply = server.create(DEFINITIONS, definition, query={"dryRun": "All", "fieldValidation": "Ignore"})

    assert _without_spec(our_verdict(copied(definition), _judge, code=201)) == _without_spec(verdict_of(reply))


@pytest.fixture(scope="module")
def live(server: Api, define: Define) -> Any:
    define(UPDATABLE)
    path = f"{DEFINITIONS}/{UPDATABLE['metadata']['name']}"
    # Established comes in two steps, the second of which delays it.
    return eventually(lambda: server.get(path).document, _is_established)


@pytest.mark.parametrize("spec", [pytest.param(spec, id=name) for name, spec in UPDATES])
def test_both_servers_say_the_same_of_a_changed_definition(server: Api, live: Any, spec: Any) -> None:
    new = {**copied(live), "spec": spec}
    path = f"{DEFINITIONS}/{live['metadata']['name']}"

    reply = server.put(path, new, query={"dryRun": "All"})

    def judge(definition: Object) -> list[FieldError]:
        default_definition(definition)
        # Its strategy adds the storage version to those that are stored.
        storage = definition["spec"]["versions"][0]["name"]
        stored = [*live["status"]["storedVersions"], storage]
        definition["status"] = {**live["status"], "storedVersions": list(dict.fromkeys(stored))}
        return validate_definition_update(definition, live)

    assert _without_spec(our_verdict(copied(new), judge, code=200)) == _without_spec(verdict_of(reply))


def _judge(definition: Object) -> list[FieldError]:
    default_definition(definition)
    return validate_definition(definition)


def _without_spec(verdict: Verdict) -> Verdict:
    return Verdict(verdict.code, verdict.causes, verdict.message)


def _is_established(definition: Any) -> bool:
    conditions = definition.get("status", {}).get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)
