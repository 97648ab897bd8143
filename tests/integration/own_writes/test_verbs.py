"""Own writes of every verb on a real server, read from a cache that has not heard of them."""

from collections.abc import Callable

import pytest

from apis.core.v1 import ConfigMap
from framework.client import Client
from tests.own_writes.frozen_cache import FrozenCache
from tests.own_writes.verbs import CASES, Cache, check


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_the_lister_shows_what_was_written(client: Client, namespace: str, case: Callable[[Cache], None]) -> None:
    check(FrozenCache(client, ConfigMap, namespace), case)
