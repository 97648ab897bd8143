"""Tokens that lead from page to page."""

import base64
import json
from typing import Any

import pytest

from apis.meta import Key
from framework.apiserver.rest.continuation import decode_continue, encode_continue
from framework.errors import BadRequest


def token(content: Any) -> str:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@pytest.mark.parametrize("is_within_namespace", [False, True])
def test_a_token_leads_to_where_it_came_from(*, is_within_namespace: bool) -> None:
    last = Key("here", "one")

    encoded = encode_continue(7, last, is_namespaced_list=is_within_namespace)

    namespace = "here" if is_within_namespace else ""
    assert decode_continue(encoded, namespace, is_namespaced=True) == (7, last)


def test_a_cluster_s_object_has_no_namespace() -> None:
    encoded = encode_continue(7, Key("", "one"), is_namespaced_list=True)

    assert decode_continue(encoded, "", is_namespaced=False) == (7, Key("", "one"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("%", "illegal base64 data at input byte 0"),
        ("ab%", "illegal base64 data at input byte 2"),
        ("a", "illegal base64 data at input byte 0"),
        (token(b"abc"), "invalid character 'a' looking for beginning of value"),
        (token([]), "json: cannot unmarshal array into Go value"),
        (token({"v": 5}), "json: cannot unmarshal number into Go struct field"),
        (token({"rv": "5"}), "json: cannot unmarshal string into Go struct field"),
        (token(None), "server does not recognize this encoded version"),
        (token({"v": "x"}), "server does not recognize this encoded version x"),
        (token({"v": "meta.k8s.io/v1"}), "incorrect encoded start resourceVersion"),
        (token({"v": "meta.k8s.io/v1", "rv": 1}), "encoded start key empty"),
        (token({"v": "meta.k8s.io/v1", "rv": 1, "start": "../x"}), r"\.\./x"),
        (token(b"[" * 100_000), r"invalid character '\[' exceeded max depth"),
    ],
)
def test_a_made_up_token_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadRequest, match=f"^invalid continue token: continue key is not valid: {why}"):
        decode_continue(text, "", is_namespaced=True)
