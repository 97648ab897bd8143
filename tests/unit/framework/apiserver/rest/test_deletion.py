"""What a deletion does to an object."""

from datetime import UTC, datetime
from typing import Any

import pytest

from framework.apiserver.rest.deletion import DeleteOptions, Verdict, finalizers_after, judge, parse_delete_options
from framework.errors import BadRequest, Invalid
from tests.unit.framework.apiserver.asking import Asked

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SERVER = Asked().server


def pod(**metadata: Any) -> Any:
    """One on a node, where somebody must confirm that it has ended."""
    return {"metadata": {"name": "one", "generation": 1, **metadata}, "spec": {"nodeName": "n"}}


def judged(obj: Any, *, plural: str = "pods", **options: Any) -> Verdict:
    resource = SERVER.registry.find("", "v1", plural)
    assert resource is not None
    return judge(resource, DeleteOptions(**options), obj, NOW)


def test_an_object_that_nothing_holds_goes_at_once() -> None:
    assert judged({"metadata": {"name": "one"}}, plural="configmaps") == Verdict(is_removed=True)


def test_an_object_with_finalizers_is_marked_and_stays() -> None:
    obj = {"metadata": {"name": "one", "generation": 3, "finalizers": ["example.com/a"]}}

    verdict = judged(obj, plural="configmaps")

    assert not verdict.is_removed
    assert verdict.marked is not None
    metadata = verdict.marked["metadata"]
    assert (metadata["deletionTimestamp"], metadata["deletionGracePeriodSeconds"]) == ("2026-01-01T00:00:00Z", 0)
    assert metadata["generation"] == 4


@pytest.mark.parametrize(
    ("requested", "seconds", "until"), [(None, 30, "00:00:30"), (5, 5, "00:00:05"), (-7, 1, "00:00:01")]
)
def test_a_pod_on_a_node_gets_time_to_end(requested: int | None, seconds: int, until: str) -> None:
    obj = pod()
    obj["spec"]["terminationGracePeriodSeconds"] = 30

    verdict = judged(obj, grace_period_seconds=requested)

    assert not verdict.is_removed
    assert verdict.marked is not None
    metadata = verdict.marked["metadata"]
    assert metadata["deletionGracePeriodSeconds"] == seconds
    assert metadata["deletionTimestamp"] == f"2026-01-01T{until}Z"


def test_no_grace_at_all_removes_a_pod() -> None:
    assert judged(pod(), grace_period_seconds=0).is_removed


def test_a_running_grace_period_is_made_shorter_and_never_longer() -> None:
    running = {"deletionTimestamp": "2026-01-01T00:00:20Z", "deletionGracePeriodSeconds": 30}

    shorter = judged(pod(**running), grace_period_seconds=15)
    longer = judged(pod(**running), grace_period_seconds=60)
    again = judged(pod(**running))

    assert shorter.marked is not None
    metadata = shorter.marked["metadata"]
    assert (metadata["deletionTimestamp"], metadata["deletionGracePeriodSeconds"]) == ("2026-01-01T00:00:05Z", 15)
    assert longer == again == Verdict()


@pytest.mark.parametrize("seconds", [2**63 - 1, 2**40])
def test_a_grace_period_of_ages_does_not_break_the_calendar(seconds: int) -> None:
    verdict = judged(pod(), grace_period_seconds=seconds)

    assert verdict.marked is not None
    assert verdict.marked["metadata"]["deletionGracePeriodSeconds"] == seconds


@pytest.mark.parametrize(
    ("options", "before", "after"),
    [
        ({}, [], []),
        ({}, ["a", "foregroundDeletion"], ["a", "foregroundDeletion"]),
        ({"propagation_policy": "Foreground"}, ["a"], ["a", "foregroundDeletion"]),
        ({"propagation_policy": "Orphan"}, ["foregroundDeletion"], ["orphan"]),
        ({"propagation_policy": "Background"}, ["orphan", "a"], ["a"]),
        ({"orphan_dependents": True}, [], ["orphan"]),
        ({"orphan_dependents": False}, ["orphan"], []),
    ],
)
def test_the_policy_becomes_a_finalizer_for_the_collector(
    options: dict[str, Any], before: list[str], after: list[str]
) -> None:
    assert finalizers_after(DeleteOptions(**options), {"finalizers": before}) == after


def test_options_are_read() -> None:
    content = {"gracePeriodSeconds": 5, "preconditions": {"uid": "u"}, "dryRun": ["All"], "kind": "DeleteOptions"}

    options = parse_delete_options(content)

    assert (options.grace_period_seconds, options.is_dry_run) == (5, True)
    assert options.preconditions is not None
    assert options.preconditions.uid == "u"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ([], "json: cannot unmarshal array into Go value"),
        (
            {"gracePeriodSeconds": "5"},
            "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds",
        ),
        ({"gracePeriodSeconds": 1.5}, "json: cannot unmarshal number 1.5 into Go struct field"),
        ({"gracePeriodSeconds": True}, "json: cannot unmarshal bool into Go struct field"),
        (
            {"preconditions": {"uid": 5}},
            "json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid",
        ),
        (
            {"dryRun": ["All", 5]},
            "json: cannot unmarshal number into Go struct field DeleteOptions.dryRun of type string",
        ),
    ],
)
def test_options_that_cannot_be_read_are_refused(content: Any, why: str) -> None:
    with pytest.raises(BadRequest, match=why):
        parse_delete_options(content)


@pytest.mark.parametrize(
    "content",
    [{"propagationPolicy": "x"}, {"propagationPolicy": "Orphan", "orphanDependents": True}, {"dryRun": ["x"]}],
)
def test_options_that_contradict_or_do_not_exist_are_invalid(content: Any) -> None:
    with pytest.raises(Invalid):
        parse_delete_options(content)
