"""A dry run goes all the way, and stores nothing."""

import pytest

from tests.conformance.api import Api
from tests.conformance.behaviours.webhooks import Webhooks
from tests.conformance.kinds import GROUP, config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B25")
DRY = {"dryRun": "All"}


def test_a_create_answers_as_if_it_had_been_made(api: Api, namespace: str) -> None:
    reply = api.create(widgets(namespace), widget(size=1), query=DRY)

    assert reply.status == 201
    assert reply.ok["spec"] == {"size": 1, "color": "red"}
    assert reply.ok["metadata"]["uid"]
    assert "resourceVersion" not in reply.ok["metadata"]
    assert api.get(widgets(namespace, "one")).status == 404


def test_a_generated_name_is_made_up(api: Api, namespace: str) -> None:
    obj = {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"generateName": "base-"}}

    assert api.create(widgets(namespace), obj, query=DRY).ok["metadata"]["name"].startswith("base-")


def test_it_is_validated(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget("there"))

    assert api.create(widgets(namespace), widget(size=101), query=DRY).status == 422
    assert api.create(widgets(namespace), widget("there"), query=DRY).reason == "AlreadyExists"


def test_an_update_answers_with_the_outcome_under_the_old_version(api: Api, namespace: str) -> None:
    before = api.create(widgets(namespace), widget(size=1)).ok

    put = api.put(widgets(namespace, "one"), {**before, "spec": {"size": 2}}, query=DRY).ok
    patched = api.patch(widgets(namespace, "one"), {"spec": {"size": 2}}, query=DRY).ok
    applied = api.apply(widgets(namespace, "one"), widget(size=2), "me", force=True, dryRun="All").ok

    for outcome in (put, patched, applied):
        assert outcome["spec"]["size"] == 2
        assert outcome["metadata"]["generation"] == 2
        assert outcome["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]
    assert api.get(widgets(namespace, "one")).ok == before


def test_a_deletion_is_only_told(api: Api, namespace: str) -> None:
    before = api.create(widgets(namespace), widget()).ok

    by_query = api.delete(widgets(namespace, "one"), query=DRY)
    by_body = api.delete(widgets(namespace, "one"), {"dryRun": ["All"]})

    assert (by_query.status, by_body.status) == (200, 200)
    assert by_query.document["status"] == "Success"
    assert api.get(widgets(namespace, "one")).ok == before


def test_no_event_comes_of_it(api: Api, namespace: str) -> None:
    before = api.create(widgets(namespace), widget()).ok

    with api.watch(widgets(namespace), {"resourceVersion": before["metadata"]["resourceVersion"]}) as watch:
        api.patch(widgets(namespace, "one"), {"spec": {"size": 2}}, query=DRY)
        api.create(widgets(namespace), widget("mark"))
        event = watch.next()

    assert event["object"]["metadata"]["name"] == "mark"


def test_webhooks_are_asked_and_told_that_it_is_a_dry_run(api: Api, namespace: str, webhooks: Webhooks) -> None:
    webhooks.configure("Mutating", "add", namespace, "add/mark")

    reply = webhooks.until_called(lambda: api.create(config_maps(namespace), config_map(a="b"), query=DRY))

    assert reply.ok["data"] == {"a": "b", "mark": "was here"}
    assert webhooks.server.reviews[-1][1]["request"]["dryRun"] is True


def test_another_value_is_invalid(api: Api, namespace: str) -> None:
    reply = api.create(widgets(namespace), widget(), query={"dryRun": "Some"})

    assert (reply.status, reply.reason) == (422, "Invalid")
    assert reply.causes[0]["field"] == "dryRun"
