from datetime import UTC, datetime

import pytest

from framework.client.retry import LONGEST_WAIT_SECONDS, is_retryable, parse_retry_after
from framework.errors import (
    Cancelled,
    Conflict,
    ConnectError,
    ServerError,
    Status,
    TimedOut,
    TlsError,
    TooLargeResourceVersion,
    TooManyRequests,
    TransportError,
    WindlassError,
)

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("0", 0.0),
        ("1", 1.0),
        (" 7 ", 7.0),
        ("31", LONGEST_WAIT_SECONDS),
        ("9" * 400, LONGEST_WAIT_SECONDS),
        ("Thu, 01 Jan 2026 12:00:05 GMT", 5.0),
        ("Thu, 01 Jan 2026 12:00:05", 5.0),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0.0),
        ("Fri, 01 Jan 2027 12:00:00 GMT", LONGEST_WAIT_SECONDS),
    ],
)
def test_retry_after_is_a_number_or_a_date_and_capped(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, NOW) == seconds


@pytest.mark.parametrize("value", ["", "soon", "-5", "nan", "inf", "1e9", "٣", "1.5"])
def test_nonsense_in_retry_after_counts_as_one_second(value: str) -> None:
    assert parse_retry_after(value, NOW) == 1.0


@pytest.mark.parametrize("error", [TooManyRequests(Status(code=429)), ConnectError("refused")])
def test_what_the_server_did_not_do_is_sent_again_be_it_read_or_write(error: WindlassError) -> None:
    assert is_retryable(error, is_read=True)
    assert is_retryable(error, is_read=False)


@pytest.mark.parametrize("error", [TransportError("reset"), TimedOut("late"), ServerError(Status(code=503))])
def test_an_unknown_outcome_is_sent_again_only_for_a_read(error: WindlassError) -> None:
    assert is_retryable(error, is_read=True)
    assert not is_retryable(error, is_read=False)


@pytest.mark.parametrize(
    "error",
    [
        Cancelled("ours"),
        TlsError("wrong CA"),
        TooLargeResourceVersion(Status(code=504)),
        Conflict(Status(code=409)),
    ],
)
def test_what_would_fail_again_is_not_sent_again(error: WindlassError) -> None:
    assert not is_retryable(error, is_read=True)
