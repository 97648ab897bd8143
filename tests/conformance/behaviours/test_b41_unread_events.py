"""Events wait for their reader. (Fakes panic at the hundredth; a server must do neither that nor lose one.)"""

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import widget, widgets

pytestmark = pytest.mark.behaviour("B41")


def test_more_than_a_hundred_unread_events_are_all_delivered(api: Api, namespace: str) -> None:
    start = api.create(widgets(namespace), widget()).ok["metadata"]["resourceVersion"]

    with api.watch(widgets(namespace), {"resourceVersion": start}) as watch:
        for number in range(250):
            api.patch(widgets(namespace, "one"), {"metadata": {"labels": {"number": str(number)}}}).check()
        events = watch.take(250)

    assert [event["object"]["metadata"]["labels"]["number"] for event in events] == [str(one) for one in range(250)]
