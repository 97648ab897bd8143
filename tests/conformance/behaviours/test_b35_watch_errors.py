"""What goes wrong after the head of a watch is sent is an event."""

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import widget, widgets

pytestmark = pytest.mark.behaviour("B35")


def test_a_version_that_is_too_old_is_an_error_in_a_stream_that_then_ends(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())
    api.compact()

    with api.watch(widgets(namespace), {"resourceVersion": "2"}) as watch:
        events = watch.rest()

    assert watch.status == 200
    (event,) = events
    assert event["type"] == "ERROR"
    status = event["object"]
    assert (status["kind"], status["code"], status["reason"]) == ("Status", 410, "Expired")
    assert status["message"].startswith("too old resource version: 2 (")


def test_a_version_that_is_no_number_is_refused_at_once(api: Api, namespace: str) -> None:
    with api.watch(widgets(namespace), {"resourceVersion": "many"}) as watch:
        status = watch.next()

    why = 'resourceVersion: Invalid value: "many": strconv.ParseUint: parsing "many": invalid syntax'
    assert (watch.status, status["message"]) == (500, why)


def test_a_selector_that_cannot_be_read_is_refused_at_once(api: Api, namespace: str) -> None:
    with api.watch(widgets(namespace), {"fieldSelector": "spec.size=1"}) as watch:
        assert watch.status == 400
