"""Own writes of every verb on the embedded server, read from a cache that has not heard of them."""

from collections.abc import Callable

import pytest

from apis.core.v1 import ConfigMap, Namespace
from apis.meta import ObjectMeta
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from tests.own_writes.frozen_cache import FrozenCache
from tests.own_writes.verbs import CASES, Cache, check


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_the_lister_shows_what_was_written(case: Callable[[Cache], None]) -> None:
    client = in_process_client(ApiServer())
    client.create(Namespace(metadata=ObjectMeta(name="shop")))

    check(FrozenCache(client, ConfigMap, "shop"), case)
