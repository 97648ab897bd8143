from collections.abc import Sequence

import pytest

from controllers.__main__ import FLAGS, MODES
from controllers.options import (
    address,
    duration,
    duration_of_at_least,
    namespace_name,
    number_of_at_least,
    object_name,
    parse_flags,
    switch,
    usage,
)
from framework.errors import ConfigurationError


def parse(*argv: str, **environment: str) -> dict[str, object]:
    return parse_flags(FLAGS, tuple(MODES), argv, environment)


@pytest.mark.parametrize(
    "argv",
    [("-requests=3",), ("--requests=3",), ("-requests", "3"), ("--requests", "3"), ("-requests=1", "-requests=3")],
)
def test_flags_take_one_dash_or_two_and_equals_or_a_space(argv: Sequence[str]) -> None:
    assert parse(*argv)["requests"] == 3


def test_a_flag_wins_over_its_environment_variable_and_that_over_the_default() -> None:
    assert parse()["requests"] == 1
    assert parse(WINDLASS_REQUESTS="5")["requests"] == 5
    assert parse("-requests=3", WINDLASS_REQUESTS="5")["requests"] == 3


def test_the_mode_may_come_from_the_environment() -> None:
    assert "claim-duration" in parse(WINDLASS_MODE="worker")


def test_a_flag_of_another_mode_names_that_mode() -> None:
    with pytest.raises(ConfigurationError, match="-requests is a flag of -mode=director, not of worker"):
        parse("-mode=worker", "-requests=1")


def test_a_variable_of_another_mode_is_ignored() -> None:
    assert "requests" not in parse("-mode=worker", WINDLASS_REQUESTS="nonsense")


def test_a_bad_value_from_the_environment_names_the_variable() -> None:
    with pytest.raises(ConfigurationError, match="WINDLASS_REQUESTS: 'x' is not a whole number"):
        parse(WINDLASS_REQUESTS="x")


@pytest.mark.parametrize(
    "argv", [("-req=1",), ("-requests",), ("stray",), ("-mode=Director",), ("-leader-elect=maybe",)]
)
def test_what_cannot_be_understood_is_one_line(argv: Sequence[str]) -> None:
    with pytest.raises(ConfigurationError) as refused:
        parse(*argv)

    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("1m30s", 90), ("500ms", 0.5), ("0", 0), ("2.5", 2.5), ("1h", 3600), ("1.5m", 90), ("1s500ms", 1.5)],
)
def test_durations_are_written_as_in_go(text: str, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "s", "-1s", "1d", "1m30", "30s ", "30s\n", "1s1m", "nan", "inf", "٣s"])
def test_other_durations_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        duration(text)


def test_least_values_are_kept() -> None:
    with pytest.raises(ValueError, match="is shorter than 1s"):
        duration_of_at_least(1.0)("999ms")
    with pytest.raises(ValueError, match="1 or more"):
        number_of_at_least(1)("0")
    with pytest.raises(ValueError, match="0 or more"):
        number_of_at_least(0)("²")


def test_names_are_those_that_the_server_accepts() -> None:
    assert (object_name("a-1.b"), object_name(""), namespace_name("a-1")) == ("a-1.b", "", "a-1")
    for bad in ("A", "-a", "a-", "a..b", "a_b", "a" * 254):
        with pytest.raises(ValueError, match="is not a name"):
            object_name(bad)
    for bad in ("", "a.b", "a" * 64):
        with pytest.raises(ValueError, match="is not the name of a namespace"):
            namespace_name(bad)


def test_addresses_are_host_and_port() -> None:
    assert [address(text) for text in ("0", ":80", "127.0.0.1:80", "[::1]:80")] == [
        "",
        ":80",
        "127.0.0.1:80",
        "[::1]:80",
    ]
    for bad in ("", "80", "host", ":", ":http", ":65536", "http://host:80"):
        with pytest.raises(ValueError, match="is not HOST:PORT"):
            address(bad)


def test_switches_are_true_or_false() -> None:
    assert [switch(text) for text in ("true", "False", "1", "0")] == [True, False, True, False]


def test_usage_tells_defaults_and_modes_of_every_flag() -> None:
    text = usage(FLAGS, MODES)

    assert all(f"  -{flag.name} " in text for flag in FLAGS)
    assert "(default 30s) [worker]" in text
