"""Each object is created on the real server, without effect, and judged by our schema: both must say the same."""

import re
from typing import Any

import pytest

from framework.apiserver.fields import FieldError
from framework.apiserver.objects import Object
from framework.apiserver.schema import StructuralSchema
from framework.errors import ApiError
from tests.conformance.api import Api
from tests.conformance.schema.conftest import Define
from tests.conformance.schema.definition import GROUP, KIND, SCHEMA, VERSION, definition
from tests.conformance.schema.objects import CASES, METADATA
from tests.conformance.schema.verdict import copied, our_verdict, verdict_of

OURS = StructuralSchema(SCHEMA)


@pytest.fixture(scope="module")
def resources(define: Define) -> str:
    return define(definition(SCHEMA, subresources={"status": {}}))


@pytest.mark.parametrize("spec", [pytest.param(spec, id=name) for name, spec in CASES])
def test_both_servers_say_the_same_of_an_object(server: Api, resources: str, spec: Any) -> None:
    obj = _sample(spec=spec)

    reply = server.create(resources, obj, query={"dryRun": "All", "fieldValidation": "Ignore"})

    assert our_verdict(copied(obj), _judge, code=201) == verdict_of(reply)


@pytest.mark.parametrize("spec", [pytest.param(spec, id=name) for name, spec in CASES])
def test_both_servers_name_the_same_unknown_fields(server: Api, resources: str, spec: Any) -> None:
    obj = _sample(spec=spec)

    reply = server.create(resources, obj, query={"dryRun": "All", "fieldValidation": "Strict"})

    assert _unknown_fields(copied(obj)) == _complaint(reply.status, reply.message)


@pytest.mark.parametrize("metadata", METADATA, ids=str)
def test_both_servers_read_metadata_alike(server: Api, resources: str, metadata: Any) -> None:
    obj = _sample(metadata={"name": "it", **metadata})

    reply = server.create(resources, obj, query={"dryRun": "All", "fieldValidation": "Strict"})

    assert _unknown_fields(copied(obj)) == _complaint(reply.status, reply.message)


def _sample(**parts: Any) -> Object:
    head = {"apiVersion": f"{GROUP}/{VERSION}", "kind": KIND, "metadata": {"name": "it"}, "spec": {"text": "ab"}}
    return {**head, **parts}


def _judge(obj: Object) -> list[FieldError]:
    OURS.prune(obj)
    OURS.default(obj)
    return OURS.validate(obj)


def _unknown_fields(obj: Object) -> tuple[list[str], str]:
    try:
        return sorted(OURS.prune(obj)), ""
    except ApiError as error:
        return [], error.status.message


def _complaint(status: int, message: str) -> tuple[list[str], str]:
    if status != 400:
        return [], ""
    unknown = sorted(re.findall(r'unknown field "([^"]*)"', message))
    return unknown, "" if unknown else message
