import pytest

from framework.apiserver.openapi import OpenApiDocuments, OpenApiEndpoints
from framework.http.exchange import Answer, ServerRequest
from tests.unit.framework.apiserver.resources import a_definition, custom

PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
DEFINITION = a_definition()


def asked(target: str, **headers: str) -> Answer | None:
    documents = OpenApiDocuments(custom(DEFINITION), [DEFINITION])
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return OpenApiEndpoints(lambda: documents).answer(ServerRequest("GET", target, named))


def answered(target: str, **headers: str) -> Answer:
    answer = asked(target, **headers)
    assert answer is not None
    return answer


@pytest.mark.parametrize("target", ["/openapi/v2", "/openapi/v3/apis/example.com/v1"])
def test_a_document_that_the_client_has_is_not_sent_again(target: str) -> None:
    first = answered(target, accept="application/json")

    second = answered(target, accept="application/json", if_none_match=first.headers["ETag"])

    assert (first.status, first.headers["Content-Type"]) == (200, "application/json")
    assert (second.status, second.body) == (304, b"")


def test_a_document_with_its_hash_may_be_kept_for_ever() -> None:
    tag = answered("/openapi/v3/apis/example.com/v1").headers["ETag"].strip('"')

    answer = answered(f"/openapi/v3/apis/example.com/v1?hash={tag}&timeout=32s")

    assert answer.status == 200
    assert answer.headers["Cache-Control"] == "public, immutable"


def test_a_document_with_an_old_hash_is_elsewhere() -> None:
    tag = answered("/openapi/v3/apis/example.com/v1").headers["ETag"].strip('"')

    answer = answered("/openapi/v3/apis/example.com/v1?hash=OLD")

    assert answer.status == 301
    assert answer.headers["Location"] == f"/openapi/v3/apis/example.com/v1?hash={tag}"


@pytest.mark.parametrize("target", ["/openapi/v2", "/openapi/v3/apis/example.com/v1"])
def test_other_formats_are_not_acceptable(target: str) -> None:
    assert answered(target, accept=PROTOBUF).status == 406


def test_unknown_groups_are_not_found() -> None:
    assert answered("/openapi/v3/apis/none/v1").status == 404


@pytest.mark.parametrize("target", ["/openapi", "/openapi/v2/", "/openapi/v4", "/apis"])
def test_other_paths_are_left_to_others(target: str) -> None:
    assert asked(target) is None
