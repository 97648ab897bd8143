"""Answers that do not show the object, on the embedded server."""

import pytest

from apis.core.v1 import Namespace
from apis.meta import ObjectMeta
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.client import Client
from tests.own_writes.running import check_delete_collection, check_scale


@pytest.fixture
def client() -> Client:
    made = in_process_client(ApiServer())
    made.create(Namespace(metadata=ObjectMeta(name="shop")))
    return made


def test_a_scale_is_seen_although_its_answer_shows_no_object(client: Client) -> None:
    check_scale(client, "shop")


def test_a_deleted_collection_is_seen_as_gone_or_going(client: Client) -> None:
    check_delete_collection(client, "shop")
