"""Which requests the relay remembers, and which fault takes which request."""

import pytest

from framework.testing.relay import Fault, Match, RelayError, ResetBefore, Respond
from framework.testing.relay.journal import Journal
from framework.testing.relay.plan import Plan
from framework.testing.relay.request import SeenRequest


def seen(journal: Journal, target: str = "/api/v1/pods", method: str = "GET", body: bytes = b"") -> SeenRequest:
    return journal.record(method, target, {}, body)


def test_oldest_requests_leave_a_full_record() -> None:
    journal = Journal(limit_bytes=50_000)

    for _ in range(5):
        journal.record("POST", "/", {}, bytes(20_000))

    assert [request.number for request in journal.requests()] == [4, 5]


def test_the_answer_to_a_forgotten_request_is_ignored() -> None:
    journal = Journal(limit_bytes=1)
    seen(journal)
    seen(journal)

    journal.answered(1, 200)
    journal.answered(2, 201)

    assert [(request.number, request.status) for request in journal.requests()] == [(2, 201)]


def test_waiting_in_vain_tells_what_was_seen() -> None:
    journal = Journal()
    seen(journal)

    with pytest.raises(TimeoutError, match="no pod within 0 s; seen: GET /api/v1/pods -> None"):
        journal.wait_until(lambda: None, 0, "no pod")


def test_waiting_ends_at_once_when_the_relay_has_failed() -> None:
    journal = Journal()
    journal.fail(RelayError("gzip"))

    with pytest.raises(RelayError, match="gzip"):
        journal.wait_until(lambda: None, 60, "nothing")


def test_nth_and_times_bound_a_fault() -> None:
    journal = Journal()
    plan = Plan(journal)
    injection = plan.inject(Fault(Match(), ResetBefore(), nth=2, times=2))

    chosen = [plan.choose(seen(journal)) for _ in range(5)]

    assert chosen == [None, injection, injection, None, None]


def test_a_fault_without_times_goes_on_until_removed() -> None:
    journal = Journal()
    plan = Plan(journal)
    injection = plan.inject(Fault(Match(), ResetBefore(), times=None))

    before = [plan.choose(seen(journal)) for _ in range(3)]
    injection.remove()

    assert before == [injection] * 3
    assert plan.choose(seen(journal)) is None


def test_the_fault_injected_first_acts_first_and_the_other_is_not_used_up() -> None:
    journal = Journal()
    plan = Plan(journal)
    first = plan.inject(Fault(Match(), ResetBefore()))
    second = plan.inject(Fault(Match(), Respond(500)))

    assert [plan.choose(seen(journal)) for _ in range(3)] == [first, second, None]


@pytest.mark.parametrize(
    ("match", "fits"),
    [
        (Match(), True),
        (Match(method="GET"), True),
        (Match(method="POST"), False),
        (Match(path="/pods$"), True),
        (Match(path="^/apis/"), False),
        (Match(query={"watch": "true"}), True),
        (Match(query={"watch": "true", "resourceVersion": "7"}), False),
        (Match(query={"resourceVersion": "5", "limit": None}), True),
        (Match(query={"watch": None}), False),
        (Match(query={"labelSelector": "a=b,c"}), True),
    ],
)
def test_match_looks_at_method_path_and_query(match: Match, fits: bool) -> None:  # noqa: FBT001 - the expectation
    request = seen(Journal(), "/api/v1/pods?watch=true&resourceVersion=5&labelSelector=a%3Db%2Cc")

    assert match.fits(request) is fits


@pytest.mark.parametrize(("pattern", "fits"), [("", True), ('"phase": *"Running"', True), ("Stopped", False)])
def test_match_looks_at_the_body(pattern: str, fits: bool) -> None:  # noqa: FBT001 - the expectation
    request = seen(Journal(), method="PATCH", body=b'{"status": {"phase": "Running"}, "not utf-8": "\xff"}')

    assert Match(body=pattern).fits(request) is fits
