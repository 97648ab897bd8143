"""A write of a leader that lost its lease: cut off it may have been made, refused it was not."""

import pytest

from apis.meta import Request
from framework.errors import LeadershipLost
from framework.own_writes.reconcile_scope import Reconcile, ReconcileScope
from tests.unit.framework.own_writes.bench import Bench, key_of


@pytest.mark.parametrize("is_under_way", [True, False])
def test_only_a_write_that_was_cut_off_under_way_is_uncertain(bench: Bench, is_under_way: bool) -> None:  # noqa: FBT001 - a parameter of the test
    reconcile = Reconcile("maps", Request(key_of("owner")), "overlay")

    with ReconcileScope(reconcile):
        access = bench.sending("create")
        bench.own_writes.failed(access, LeadershipLost("over", may_have_been_made=is_under_way))

    assert [write.is_certain for write in reconcile.writes] == ([False] if is_under_way else [])
