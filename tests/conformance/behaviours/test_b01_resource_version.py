"""One increasing counter over the whole store."""

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B1")


def test_writes_of_all_kinds_share_one_increasing_counter(api: Api, namespace: str) -> None:
    first = api.create(config_maps(namespace), config_map()).ok
    second = api.create(widgets(namespace), widget()).ok
    third = api.patch(config_maps(namespace, "one"), {"data": {"a": "b"}}).ok
    fourth = api.patch(widgets(namespace, "one", "status"), {"status": {"phase": "Ready"}}).ok

    versions = [int(obj["metadata"]["resourceVersion"]) for obj in (first, second, third, fourth)]
    assert versions == sorted(set(versions))


def test_a_version_is_a_decimal_number_without_leading_zeros(api: Api, namespace: str) -> None:
    version = api.create(widgets(namespace), widget()).ok["metadata"]["resourceVersion"]

    assert version == str(int(version))


def test_a_read_shows_the_version_of_the_last_write(api: Api, namespace: str) -> None:
    written = api.create(widgets(namespace), widget()).ok

    assert api.get(widgets(namespace, "one")).ok["metadata"] == written["metadata"]


def test_an_object_made_anew_does_not_begin_at_one_again(api: Api, namespace: str) -> None:
    before = api.create(widgets(namespace), widget()).ok
    api.delete(widgets(namespace, "one"))

    after = api.create(widgets(namespace), widget()).ok

    assert int(after["metadata"]["resourceVersion"]) > int(before["metadata"]["resourceVersion"]) + 1
