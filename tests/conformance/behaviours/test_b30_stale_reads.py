"""At version 0 a read may be behind. How far is up to the server; that it catches up is not."""

import pytest

from tests.conformance.api import Api
from tests.conformance.behaviours.paging import names
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.kinds import widget, widgets

pytestmark = pytest.mark.behaviour("B30")
ANY = {"resourceVersion": "0"}


def test_a_read_at_any_version_catches_up(api: Api, namespace: str) -> None:
    created = api.create(widgets(namespace), widget()).ok

    eventually(lambda: api.get(widgets(namespace, "one"), query=ANY), lambda reply: reply.status == 200)
    listed = eventually(lambda: api.get(widgets(namespace), query=ANY).ok, lambda listed: bool(listed["items"]))

    assert listed["items"] == [created]


def test_the_limit_of_a_list_at_any_version_is_a_hint(api: Api, namespace: str) -> None:
    for name in "abc":
        api.create(widgets(namespace), widget(name))

    listed = eventually(lambda: api.get(widgets(namespace), query=ANY).ok, lambda listed: len(listed["items"]) == 3)
    limited = api.get(widgets(namespace), query={**ANY, "limit": 1}).ok

    assert names(listed)[: len(limited["items"])] == names(limited)


def test_the_embedded_server_is_always_current(api: Api, namespace: str) -> None:
    if api.name != "embedded":
        pytest.skip("a real server's cache may be behind; two embedded servers share no state that could differ")
    for number in range(5):
        api.create(widgets(namespace), widget(f"w{number}"))

        assert len(api.get(widgets(namespace), query=ANY).ok["items"]) == number + 1
