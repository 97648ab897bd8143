import pytest

from framework.apiserver.tables import human_duration
from framework.apiserver.tables.durations import age

_MINUTE, _HOUR, _DAY, _YEAR = 60, 3600, 86400, 365 * 86400


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-2, "<invalid>"),
        (-1.5, "0s"),
        (0, "0s"),
        (119.9, "119s"),
        (120, "2m"),
        (2 * _MINUTE + 5, "2m5s"),
        (10 * _MINUTE + 5, "10m"),
        (3 * _HOUR, "3h"),
        (3 * _HOUR + _MINUTE, "3h1m"),
        (8 * _HOUR + _MINUTE, "8h"),
        (47 * _HOUR, "47h"),
        (2 * _DAY, "2d"),
        (2 * _DAY + 3 * _HOUR, "2d3h"),
        (8 * _DAY + _HOUR, "8d"),
        (2 * _YEAR, "2y"),
        (2 * _YEAR + 3 * _DAY, "2y3d"),
        (9 * _YEAR + 3 * _DAY, "9y"),
    ],
)
def test_duration_has_two_figures_at_most(seconds: float, text: str) -> None:
    assert human_duration(seconds) == text


def test_age_counts_from_any_spelling_of_the_time() -> None:
    assert age("2026-01-01T00:00:00Z", 1767225600 + 5) == "5s"
    assert age("2026-01-01T01:00:00.000000+01:00", 1767225600 + 5) == "5s"
    assert age(None, 0) == "<unknown>"
