"""Whether a Cluster still leads to the cluster that it led to before."""

import msgspec
import pytest

from controllers.cluster.identity import ACCEPT_CLUSTER_ID, identity_problem
from tests.unit.controllers.cluster.judged import a_cluster


@pytest.mark.parametrize(
    ("recorded", "found", "accepted", "reason"),
    [
        ("", "a", "", ""),
        ("a", "a", "", ""),
        ("a", "b", "", "IdentityChanged"),
        ("a", "b", "c", "IdentityChanged"),
        ("a", "b", "b", ""),
        # Who cannot be asked cannot be told from another.
        ("a", "", "", "Forbidden"),
        ("", "", "", ""),
    ],
)
def test_only_the_recorded_cluster_or_an_accepted_one_is_taken(
    recorded: str, found: str, accepted: str, reason: str
) -> None:
    cluster = a_cluster("any", cluster_id=recorded)
    metadata = msgspec.structs.replace(cluster.metadata, annotations={ACCEPT_CLUSTER_ID: accepted})

    problem = identity_problem(msgspec.structs.replace(cluster, metadata=metadata), found)

    assert ("" if problem is None else problem.reason) == reason
