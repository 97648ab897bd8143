"""Ten thousand times: create, then list."""

import pytest

from framework.client import Client
from tests.own_writes.load import Load

WRITERS = 4
ROUNDS = 2500


@pytest.mark.timeout(900)
def test_ten_thousand_creations_are_listed_at_once_and_no_foreign_change_is_swallowed(
    client: Client, namespace: str
) -> None:
    load = Load(client, namespace)

    load.run(writers=WRITERS, rounds=ROUNDS)

    assert load.errors == []
    assert load.looked >= 4 * WRITERS * ROUNDS
    assert load.stale == []
    assert load.watcher.behind == []
    # Both sides wrote to the same objects, so there was something to swallow.
    assert len(load.foreign_writes) > 100
    assert len(load.watcher.echoes) > 100
    assert load.watcher.uncovered(load.foreign_writes) == []
