"""Caches that keep a part of each object, on the embedded server."""

import pytest

from apis.core.v1 import Namespace
from apis.meta import ObjectMeta
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.client import Client
from tests.own_writes.projected_caches import check_a_projection_costs_what_is_kept, check_no_secret_value_is_kept


@pytest.fixture
def client() -> Client:
    made = in_process_client(ApiServer())
    made.create(Namespace(metadata=ObjectMeta(name="shop")))
    return made


def test_no_value_of_a_secret_is_in_the_cache_or_its_overlay(client: Client) -> None:
    check_no_secret_value_is_kept(client, "shop")


def test_a_projection_costs_what_is_kept(client: Client) -> None:
    check_a_projection_costs_what_is_kept(client, "shop")
