"""Selectors that are refused, beside the refusals of the real server."""

import pytest

from framework.apiserver.selectors import parse_field_selector, parse_label_selector
from framework.errors import BadRequest
from tests.conformance.api import Api

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
LABEL_SELECTORS = [
    "", "a", "!a", "a=b", "a==b", "a!=b", "a in (b,,c)", "a in ()", "a notin (b),c", "in in (in)", "a>1", "a<1", "a=,b",
    "a b", "a in", "a in (", "a in (b", "a in (b,", "a in (b c)", "a in )", "a in (b))", "a in (!b)", "a in b", "!",
    "!a=b", "a!b", "a!!b", "a>x", "a>", "a>>1", "a<=1", "a=>1", "a===b", "a=!b", "a=b=c", "a=-b", "a=b c", "a=(", "=a",
    "(", ",a", "a,,b", "a,", "a_/b=c", "x/y/z", "/x", "a/", "a in (-b,_c)", f"a={64 * 'x'}", f"{64 * 'x'}=a",
    f"{254 * 'x'}/a", "é=1", "a=é", "a\0b", "a,\0b", "a=\0b", "a>9223372036854775808", "a>+1", "a>-1", "a>01", "a> 1",
    " a = b ", "a\t in\n(b)",
]  # fmt: skip
FIELD_SELECTORS = [
    "", ",", "=", "metadata.name=a", "metadata.name==a", "metadata.name!=a", "metadata.name=a,", r"metadata.name=a\,b",
    r"metadata.name=a\=b\\", "metadata.name", "foo,metadata.name=x", r"metadata.name=a\b", "metadata.name=a=b",
    "metadata.name=a\\", r"metadata.name=a\,b\c", "metadata.name===a",
]  # fmt: skip


@pytest.mark.parametrize("text", LABEL_SELECTORS, ids=lambda text: ascii(text)[:40])
def test_label_selectors_are_taken_or_refused_alike(real: Api, text: str) -> None:
    reply = real.get(CONFIG_MAPS, query={"labelSelector": text})

    assert _refusal(lambda: parse_label_selector(text)) == (reply.message if reply.status == 400 else None)
    assert reply.status in (200, 400)


@pytest.mark.parametrize("text", FIELD_SELECTORS, ids=ascii)
def test_field_selectors_are_taken_or_refused_alike(real: Api, text: str) -> None:
    reply = real.get(CONFIG_MAPS, query={"fieldSelector": text})

    assert _refusal(lambda: parse_field_selector(text)) == (reply.message if reply.status == 400 else None)
    assert reply.status in (200, 400)


def _refusal(parse: object) -> str | None:
    assert callable(parse)
    try:
        parse()
    except BadRequest as error:
        return error.status.message
    return None
