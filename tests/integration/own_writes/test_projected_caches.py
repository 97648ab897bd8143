"""Caches that keep a part of each object, on a real server."""

from framework.client import Client
from tests.own_writes.projected_caches import check_a_projection_costs_what_is_kept, check_no_secret_value_is_kept


def test_no_value_of_a_secret_is_in_the_cache_or_its_overlay(client: Client, namespace: str) -> None:
    check_no_secret_value_is_kept(client, namespace)


def test_a_projection_costs_what_is_kept(client: Client, namespace: str) -> None:
    check_a_projection_costs_what_is_kept(client, namespace)
