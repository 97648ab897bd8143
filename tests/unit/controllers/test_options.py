from collections.abc import Sequence

import pytest

from controllers.flags import FLAGS, MODES
from controllers.options import (
    address,
    duration,
    duration_of_at_least,
    https_url,
    label_name,
    list_of_namespaces,
    namespace_name,
    number_of_at_least,
    object_name,
    parse_flags,
    switch,
    usage,
)
from controllers.peerpods.flags import peer_pod_options
from framework.errors import ConfigurationError


def parse(*argv: str, **environment: str) -> dict[str, object]:
    return parse_flags(FLAGS, tuple(MODES), argv, environment)


@pytest.mark.parametrize(
    "argv",
    [("-requests=3",), ("--requests=3",), ("-requests", "3"), ("--requests", "3"), ("-requests=1", "-requests=3")],
)
def test_flags_take_one_dash_or_two_and_equals_or_a_space(argv: Sequence[str]) -> None:
    assert parse(*argv)["requests"] == 3


@pytest.mark.parametrize(
    ("argv", "is_on"),
    [
        ((), False),
        (("-enable-cf-worker-group",), True),
        (("-enable-cf-worker-group", "-workers=1"), True),
        (("-enable-cf-worker-group=false",), False),
        (("--enable-cf-worker-group", "false"), False),
    ],
)
def test_a_switch_that_is_merely_named_is_on(argv: Sequence[str], *, is_on: bool) -> None:
    assert parse("-mode=manager", *argv)["enable-cf-worker-group"] is is_on


def test_a_flag_wins_over_its_environment_variable_and_that_over_the_default() -> None:
    assert parse()["requests"] == 1
    assert parse(WINDLASS_REQUESTS="5")["requests"] == 5
    assert parse("-requests=3", WINDLASS_REQUESTS="5")["requests"] == 3


def test_the_mode_may_come_from_the_environment() -> None:
    assert "claim-duration" in parse(WINDLASS_MODE="worker")


def test_a_flag_of_another_mode_names_that_mode() -> None:
    words = "-requests is a flag of -mode=director and -mode=standalone, not of worker"
    with pytest.raises(ConfigurationError, match=words):
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
    assert "(default 30s) [worker, standalone]" in text


def test_a_port_is_a_number_that_sockets_have() -> None:
    assert parse("-mode=standalone", "-secure-port=6443")["secure-port"] == 6443
    with pytest.raises(ConfigurationError, match="-secure-port: '65536' is more than 65535"):
        parse("-mode=standalone", "-secure-port=65536")


def test_standalone_takes_no_kubeconfig_because_it_brings_its_own_server() -> None:
    with pytest.raises(ConfigurationError, match="-kubeconfig is a flag of -mode=director and -mode=worker"):
        parse("-mode=standalone", "-kubeconfig=/some/where")


def test_controllers_are_chosen_by_name_or_by_system_each_once() -> None:
    def chosen(text: str) -> object:
        return parse("-mode=manager", f"-controllers={text}")["controllers"]

    assert chosen("peerpods") == ("peerpodconfig", "peerpod")
    assert chosen("peerpod, laf,cluster") == (
        "peerpod",
        "bundle",
        "runtime",
        "application",
        "creationform",
        "cluster",
        "instance",
    )
    assert chosen("") == parse("-mode=manager", "-controllers=laf,peerpods,workers")["controllers"]
    with pytest.raises(ConfigurationError, match="has 'pods' in it, which is none of: laf, peerpods, workers, bundle"):
        chosen("peerpod,pods")


@pytest.mark.parametrize("text", ["example.com/vm", "kata.peerpods.io/vm", "a/B_c"])
def test_a_resource_has_a_domain_and_a_name(text: str) -> None:
    assert label_name(text) == text


@pytest.mark.parametrize("text", ["", "vm", "/vm", "example.com/", "a/b/c", "Example.com/vm", "example.com/-vm"])
def test_other_resources_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not DOMAIN/NAME"):
        label_name(text)


def test_a_webhook_is_reached_by_https_without_anybodys_name() -> None:
    assert https_url("") == ""
    assert https_url("https://127.0.0.1:9443/") == "https://127.0.0.1:9443"
    for text in ("http://127.0.0.1:9443", "https://", "https://host", "https://me:word@host:443", "host:443"):
        with pytest.raises(ValueError, match="is not https://HOST:PORT"):
            https_url(text)


def test_operands_are_where_the_flag_says_else_beside_this_pod_else_where_upstream_has_them() -> None:
    def namespace(*flags: str, own: str = "", **environment: str) -> str:
        return peer_pod_options(parse("-mode=manager", *flags, **environment), own).namespace

    assert namespace() == "confidential-containers-system"
    assert namespace(own="mine") == "mine"
    assert namespace(own="mine", PEERPODS_NAMESPACE="theirs") == "theirs"
    assert namespace("-peerpods-namespace=ours", own="mine", PEERPODS_NAMESPACE="theirs") == "ours"


def test_namespaces_are_names_with_commas_between() -> None:
    assert list_of_namespaces("") == ()
    assert list_of_namespaces("one, two") == ("one", "two")
    with pytest.raises(ValueError, match="is not the name of a namespace"):
        list_of_namespaces("one,two.three")
