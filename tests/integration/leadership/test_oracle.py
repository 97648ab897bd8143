"""The judge of the rounds is judged first: by made-up logs in which something is wrong."""

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.integration.leadership.oracle import History, history_of

START = datetime(2026, 1, 1, tzinfo=UTC)


def lease(revision: int, holder: str, *, code: int = 200, name: str = "trio") -> dict[str, Any]:
    return event(revision, "leases", {"spec": {"holderIdentity": holder}}, code=code, name=name)


def write(revision: int, writer: str, *, term: int = 1, code: int = 200, second: float = 0.0) -> dict[str, Any]:
    data = {"writer": writer, "number": str(revision), "term": str(term)}
    return event(revision, "configmaps", {"data": data}, code=code, second=second)


def event(
    revision: int, resource: str, content: dict[str, Any], *, code: int, name: str = "trio", second: float = 0.0
) -> dict[str, Any]:
    return {
        "stage": "ResponseComplete",
        "stageTimestamp": (START + timedelta(seconds=second)).isoformat(),
        "objectRef": {"resource": resource, "name": name},
        "responseStatus": {"code": code},
        "responseObject": {"metadata": {"resourceVersion": str(revision)}, **content},
    }


def history(*events: dict[str, Any]) -> History:
    return history_of("trio", events)


def foreign(*events: dict[str, Any]) -> list[int]:
    return [found.revision for found in history(*events).foreign_writes()]


def test_writes_of_the_holder_are_fine() -> None:
    assert foreign(lease(1, "a"), write(2, "a"), lease(3, "a"), write(4, "a"), lease(5, "b"), write(6, "b")) == []


def test_a_write_after_another_has_taken_the_lease_is_found_in_whatever_order_the_log_has_it() -> None:
    assert foreign(lease(1, "a"), write(4, "a"), lease(3, "b"), write(5, "b")) == [4]


def test_a_second_writer_in_one_term_is_found() -> None:
    assert foreign(lease(1, "a"), write(2, "a"), write(3, "b"), write(4, "a")) == [3]


def test_a_write_while_nobody_holds_the_lease_is_found() -> None:
    assert foreign(lease(1, "a"), lease(2, ""), write(3, "a")) == [3]


def test_what_was_refused_and_what_others_did_is_of_no_concern() -> None:
    assert foreign(lease(1, "a"), lease(2, "b", code=409), lease(3, "b", name="other"), write(4, "a")) == []
    assert foreign(lease(1, "a"), lease(2, "b"), write(3, "a", code=409)) == []


def test_a_write_of_an_earlier_term_after_one_of_a_later_term_is_found() -> None:
    found = history(lease(1, "a"), write(2, "a"), write(3, "a", term=2), write(4, "a")).returned_terms()

    assert [each.revision for each in found] == [4]


def test_a_gap_is_the_time_between_two_writes_without_that_of_an_outage() -> None:
    (gap,) = history(lease(1, "a"), write(2, "a", second=1), write(3, "a", second=8)).gaps()

    def at(second: float) -> datetime:
        return START + timedelta(seconds=second)

    assert gap.seconds_without([]) == 7
    assert gap.seconds_without([(at(0), at(3))]) == 5
    assert gap.seconds_without([(at(2), at(3)), (at(7), at(20))]) == 5
    assert gap.seconds_without([(at(9), at(20))]) == 7
