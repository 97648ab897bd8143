"""Answers that do not show the object, on a real server."""

from framework.client import Client
from tests.own_writes.running import check_delete_collection, check_scale


def test_a_scale_is_seen_although_its_answer_shows_no_object(client: Client, namespace: str) -> None:
    check_scale(client, namespace)


def test_a_deleted_collection_is_seen_as_gone_or_going(client: Client, namespace: str) -> None:
    check_delete_collection(client, namespace)
