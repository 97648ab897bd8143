"""Writers at the same time: linear for each object."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from framework.runtime import ThreadRuntime
from tests.conformance.api import JSON_PATCH, Api
from tests.conformance.kinds import widget, widgets

pytestmark = pytest.mark.behaviour("B47")
WRITERS, WRITES = 4, 10


def _together(api: Api, work: Callable[[Api, int], None]) -> None:
    failures: list[BaseException] = []

    def run(number: int) -> None:
        own = api.again()
        try:
            work(own, number)
        except BaseException as error:  # noqa: BLE001 - told by the test, in its own thread
            failures.append(error)
        finally:
            own.close()

    tasks = [ThreadRuntime().spawn(f"writer-{one}", partial(run, one)) for one in range(WRITERS)]
    for task in tasks:
        task.join(60)
    assert failures == []


def test_of_conditional_writers_nobody_overwrites_another(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget(size=0))
    path = widgets(namespace, "one")

    def count(own: Api, _: int) -> None:
        done = 0
        while done < WRITES:
            obj = own.get(path).ok
            obj["spec"]["size"] += 1
            reply = own.put(path, obj)
            assert reply.status in {200, 409}, reply.body
            done += reply.status == 200

    _together(api, count)

    after = api.get(path).ok
    assert after["spec"]["size"] == WRITERS * WRITES
    assert after["metadata"]["generation"] == WRITERS * WRITES + 1


def test_unconditional_patches_are_all_applied(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget(tags=[]))
    path = widgets(namespace, "one")

    def add(own: Api, number: int) -> None:
        for one in range(WRITES):
            tag: Any = {"op": "add", "path": "/spec/tags/-", "value": f"{number}-{one}"}
            while (reply := own.patch(path, [tag], JSON_PATCH)).status != 200:
                # The real server gives up after five attempts of its own.
                assert reply.status == 409, reply.body

    _together(api, add)

    after = api.get(path).ok
    assert len(after["spec"]["tags"]) == WRITERS * WRITES
    for number in range(WRITERS):
        mine = [tag for tag in after["spec"]["tags"] if tag.startswith(f"{number}-")]
        assert mine == [f"{number}-{one}" for one in range(WRITES)]


def test_each_write_is_one_event_in_the_order_of_versions(api: Api, namespace: str) -> None:
    start = api.create(widgets(namespace), widget(size=0)).ok["metadata"]["resourceVersion"]

    def write(own: Api, number: int) -> None:
        for one in range(WRITES):
            labels = {"labels": {f"n{number}": str(one)}}
            while own.patch(widgets(namespace, "one"), {"metadata": labels}).status == 409:
                continue

    with api.watch(widgets(namespace), {"resourceVersion": start}) as watch:
        _together(api, write)
        events = watch.take(WRITERS * WRITES)

    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in events]
    assert versions == sorted(set(versions))


def test_of_many_creators_of_one_name_one_succeeds(api: Api, namespace: str) -> None:
    codes: list[int] = []

    _together(api, lambda own, _: codes.append(own.create(widgets(namespace), widget()).status))

    assert sorted(codes) == [201, *[409] * (WRITERS - 1)]


def test_a_deletion_and_its_repetition_race_to_one_success(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())
    codes: list[int] = []

    _together(api, lambda own, _: codes.append(own.delete(widgets(namespace, "one")).status))

    assert codes.count(200) >= 1
    assert set(codes) <= {200, 404}
