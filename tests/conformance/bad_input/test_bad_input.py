"""Whatever a request has wrong, both servers say the same about it."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

from tests.conformance.api import Api, Reply
from tests.conformance.bad_input.case import CONFIG_MAPS, NAMESPACE, WIDGETS, Case
from tests.conformance.bad_input.cases import CASES
from tests.conformance.kinds import config_map, widget

# The real server shows the whole object, as it would have been.
_WHOLE = re.compile(r'Invalid value: (?:"\{(?:[^"\\]|\\.)*"|"\.\.\."): ')
_KIND_MISSING = re.compile(r"Object 'Kind' is missing in '.*'")


@pytest.fixture(scope="module")
def servers(embedded_api: Api, real_api: Api) -> Mapping[str, Api]:
    for api in (embedded_api, real_api):
        assert api.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}}).status == 201
        assert api.create(CONFIG_MAPS, config_map("there")).status == 201
        assert api.create(WIDGETS, widget("there", size=1)).status == 201
    return {"embedded": embedded_api, "real": real_api}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_both_servers_say_the_same_about_a_bad_request(servers: Mapping[str, Api], case: Case) -> None:
    expected = _answer(servers["real"], case)

    answer = _answer(servers["embedded"], case)

    assert answer == expected


def _answer(api: Api, case: Case) -> Any:
    reply = api.request(
        case.method,
        case.target,
        case.body,
        content_type=case.content_type,
        accept=case.accept,
        headers=case.headers,
    )
    is_json = reply.body and reply.headers.get("content-type", "").startswith("application/json")
    if not is_json:
        return reply.status, reply.body
    if reply.document.get("kind") != "Status":
        return reply.status, reply.document.get("kind"), reply.warnings
    if case.has_own_words:
        return reply.status, reply.reason
    return _said(reply)


def _said(reply: Reply) -> Any:
    details = reply.document.get("details") or {}
    causes = [
        (cause.get("reason"), _masked(cause.get("message", "")), cause.get("field"))
        for cause in details.pop("causes", ())
    ]
    return reply.status, reply.reason, _masked(reply.message), details, causes, reply.warnings


def _masked(message: str) -> str:
    return _KIND_MISSING.sub("Object 'Kind' is missing", _WHOLE.sub("Invalid value: ...: ", message))
