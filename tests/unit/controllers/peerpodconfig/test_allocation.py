"""Nothing of a limit is lost, no node has two configs, and precedence decides."""

from hypothesis import given
from hypothesis import strategies as st

from controllers.peerpodconfig.allocation import allocate, quantities
from controllers.peerpodconfig.selection import Selection
from controllers.peerpodconfig.validation import Wishes
from controllers.peerpods.names import CONFIG_LABEL
from tests.unit.controllers.peerpodconfig.made import a_claim, a_node

ZONES = st.sampled_from(["one", "two", "three"])


@given(limit=st.integers(0, 10**9 - 1), count=st.integers(1, 500))
def test_the_shares_add_up_to_the_limit_and_differ_by_at_most_one(limit: int, count: int) -> None:
    shares = quantities(Wishes(Selection(()), limit), [f"node-{number}" for number in range(count)])

    assert sum(shares.values()) == limit
    assert max(shares.values()) - min(shares.values()) <= 1
    assert list(shares.values()) == sorted(shares.values(), reverse=True)


@given(
    zones=st.lists(ZONES, max_size=30),
    wanted=st.lists(st.tuples(st.lists(ZONES, min_size=1), st.integers(0, 99), st.booleans()), max_size=4),
    held=st.lists(st.integers(0, 4), min_size=30, max_size=30),
)
def test_every_node_has_one_config_at_most_and_every_limit_is_given_out(
    zones: list[str], wanted: list[tuple[list[str], int, bool]], held: list[int]
) -> None:
    claims = [
        a_claim(f"c{number}", age=number, limit=str(limit), is_frozen=is_frozen, nodeSelector=_in(selected))
        for number, (selected, limit, is_frozen) in enumerate(wanted)
    ]
    uids = [claim.uid for claim in claims]
    nodes = [
        a_node(f"n{number}", {"zone": zone, **({CONFIG_LABEL: uids[who]} if who < len(uids) else {})})
        for number, (zone, who) in enumerate(zip(zones, held, strict=False))
    ]

    found = allocate(claims, nodes)

    given_out = [name for each in found.quantities.values() for name in each]
    assert len(given_out) == len(set(given_out))
    assert all(found.winners[name] == uid for uid, each in found.quantities.items() for name in each)
    for claim in claims:
        if claim.wishes is None:
            kept = {node.metadata.name for node in nodes if node.metadata.labels.get(CONFIG_LABEL) == claim.uid}
            assert {name for name, uid in found.winners.items() if uid == claim.uid} == kept
        elif found.quantities[claim.uid]:
            assert sum(found.quantities[claim.uid].values()) == claim.wishes.limit


def test_the_rest_goes_to_the_oldest_nodes() -> None:
    nodes = [a_node("young", age=9), a_node("old", age=1), a_node("b", age=5), a_node("a", age=5)]

    found = allocate([a_claim(limit="6", labelSelector={})], nodes)

    assert found.quantities["0123456789-config"] == {"old": 2, "a": 2, "b": 1, "young": 1}


def test_without_a_limit_each_node_has_one_and_per_node_each_has_all() -> None:
    nodes = [a_node("a"), a_node("b")]

    assert allocate([a_claim(labelSelector={})], nodes).quantities == {"0123456789-config": {"a": 1, "b": 1}}
    each = allocate([a_claim(labelSelector={}, limit="007", limitScope="PerNode")], nodes)
    assert each.quantities == {"0123456789-config": {"a": 7, "b": 7}}


def test_who_comes_first_wins_and_the_other_learns_how_many_it_lost_to_whom() -> None:
    first, second = a_claim("first", labelSelector={}), a_claim("second", labelSelector={}, limit="5")

    found = allocate([first, second], [a_node("a"), a_node("b")])

    assert found.quantities == {first.uid: {"a": 1, "b": 1}, second.uid: {}}
    assert found.lost == {first.uid: {}, second.uid: {first.uid: 2}}


def test_a_frozen_config_keeps_its_nodes_even_from_an_older_one_and_gets_no_others() -> None:
    older, frozen = a_claim("older", labelSelector={}), a_claim("frozen", labelSelector={}, is_frozen=True)
    held = a_node("held", {CONFIG_LABEL: frozen.uid})

    found = allocate([older, frozen], [held, a_node("free")])

    assert found.winners == {"held": frozen.uid, "free": older.uid}
    assert found.quantities == {older.uid: {"free": 1}}


def test_no_node_is_no_division() -> None:
    assert allocate([a_claim(limit="20")], []).quantities == {"0123456789-config": {}}


def _in(values: list[str]) -> dict[str, object]:
    return {"matchExpressions": [{"key": "zone", "operator": "In", "values": values}]}
