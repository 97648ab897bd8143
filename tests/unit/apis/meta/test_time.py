"""Times to the microsecond."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from apis.meta import MicroTimeText, micro_time, time_of


def test_a_whole_second_has_all_six_digits() -> None:
    assert micro_time(datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)) == "2025-01-02T03:04:05.000000Z"


def test_a_time_of_another_zone_is_written_in_utc() -> None:
    at = datetime(2025, 1, 2, 3, 4, 5, 6, tzinfo=timezone(timedelta(hours=2)))

    assert micro_time(at) == "2025-01-02T01:04:05.000006Z"
    assert time_of(micro_time(at)) == at


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="without a zone"):
        micro_time(datetime(2025, 1, 2))  # noqa: DTZ001 - the fault under test
    with pytest.raises(ValueError, match="without a zone"):
        time_of(MicroTimeText("2025-01-02T03:04:05"))
