"""The flags of the binary: Go's way of writing them, one table, each flag known to the modes that use it."""

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import msgspec

from framework.errors import ConfigurationError
from framework.http.address import is_loopback

_NUMBER = r"([0-9]+(?:\.[0-9]+)?)"
_DURATION = re.compile(rf"(?:{_NUMBER}h)?(?:{_NUMBER}m(?!s))?(?:{_NUMBER}s)?(?:{_NUMBER}ms)?")
_OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL_VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_HTTPS = re.compile(r"https://[^/@\s]+:[0-9]{1,5}")
_LONGEST_NAME, _LONGEST_NAMESPACE = 253, 63
_LAST_PORT = 65535
_SECONDS_PER_UNIT = (3600.0, 60.0, 1.0, 0.001)


def duration(text: str) -> float:
    """`30s`, `1m30s`, `500ms`, `0`, or plain seconds."""
    if re.fullmatch(_NUMBER, text):
        return float(text)
    match = _DURATION.fullmatch(text)
    if not text or match is None:
        raise ValueError("is not a duration; write for example 30s, 1m30s or 500ms")
    return sum(float(part) * unit for part, unit in zip(match.groups(), _SECONDS_PER_UNIT, strict=True) if part)


def duration_of_at_least(least_seconds: float) -> Callable[[str], float]:
    def parse(text: str) -> float:
        seconds = duration(text)
        if seconds < least_seconds:
            raise ValueError(f"is shorter than {least_seconds:g}s")
        return seconds

    return parse


def number_of_at_least(least: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or int(text) < least:
            raise ValueError(f"is not a whole number of {least} or more")
        return int(text)

    return parse


def object_name(text: str) -> str:
    """The name of a namespace or of an object; empty where a flag may be left out."""
    if text and (len(text) > _LONGEST_NAME or not _OBJECT_NAME.fullmatch(text)):
        raise ValueError("is not a name: small letters, digits, '-' and '.', letters or digits at both ends")
    return text


def namespace_name(text: str) -> str:
    if not text or "." in text or len(text) > _LONGEST_NAMESPACE:
        raise ValueError("is not the name of a namespace")
    return object_name(text)


def optional_namespace(text: str) -> str:
    return namespace_name(text) if text else ""


def label_name(text: str) -> str:
    """As that of an extended resource: a domain, a slash and a name."""
    domain, slash, name = text.partition("/")
    if not (slash and domain and _OBJECT_NAME.fullmatch(domain) and _LABEL_VALUE.fullmatch(name)):
        raise ValueError("is not DOMAIN/NAME, such as example.com/vm")
    return text


def list_of_names(text: str) -> tuple[str, ...]:
    """Names with commas between."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def list_of_namespaces(text: str) -> tuple[str, ...]:
    return tuple(namespace_name(name) for name in list_of_names(text))


def label_value(text: str) -> str:
    """The value of a label; empty where a flag may be left out."""
    if text and not _LABEL_VALUE.fullmatch(text):
        raise ValueError(
            "is not a label value: up to 63 letters, digits, '-', '_' and '.', letters or digits at both ends"
        )
    return text


def namespace_prefix(text: str) -> str:
    """How the name of a namespace begins; empty: as it likes."""
    if text:
        namespace_name(f"{text}x")
    return text


def some_of(groups: Mapping[str, Sequence[str]]) -> Callable[[str], tuple[str, ...]]:
    """Names with commas between, of members or of whole *groups*; empty: all of them."""
    members = tuple(name for group in groups.values() for name in group)

    def choose(text: str) -> tuple[str, ...]:
        chosen: list[str] = []
        for name in list_of_names(text):
            if name not in members and name not in groups:
                known = ", ".join([*groups, *members])
                raise ValueError(f"has {name!r} in it, which is none of: {known}")
            chosen += groups.get(name, (name,))
        return tuple(dict.fromkeys(chosen)) or members

    return choose


def switch(text: str) -> bool:
    known = {"true": True, "false": False, "1": True, "0": False}
    if text.lower() not in known:
        raise ValueError("is neither true nor false")
    return known[text.lower()]


def one_of(*choices: str) -> Callable[[str], str]:
    def choose(text: str) -> str:
        if text not in choices:
            raise ValueError(f"is none of: {', '.join(choices)}")
        return text

    return choose


def address(text: str) -> str:
    """HOST:PORT or :PORT; empty for 0, which means nowhere."""
    if text == "0":
        return ""
    host, separator, port = text.rpartition(":")
    if not separator or "/" in host or not (port.isascii() and port.isdigit()) or int(port) > _LAST_PORT:
        raise ValueError("is not HOST:PORT or :PORT")
    return text


def loopback_address(text: str) -> str:
    """As `address`, but one that only this machine can reach."""
    found = address(text)
    if found and not is_loopback(found.rpartition(":")[0].strip("[]")):
        raise ValueError("is not on loopback; write for example 127.0.0.1:8090")
    return found


def https_url(text: str) -> str:
    """https://HOST:PORT; empty where a flag may be left out."""
    url = text.rstrip("/")
    if url and not _HTTPS.fullmatch(url):
        raise ValueError("is not https://HOST:PORT")
    return url


def port(text: str) -> int:
    number = number_of_at_least(0)(text)
    if number > _LAST_PORT:
        raise ValueError(f"is more than {_LAST_PORT}")
    return number


class Flag(msgspec.Struct, frozen=True):
    name: str
    help: str
    default: str = ""
    parse: Callable[[str], Any] = str
    # Empty: every mode.
    modes: tuple[str, ...] = ()
    # A second environment variable: the name that a setting has elsewhere.
    also_variable: str = ""

    @property
    def variable(self) -> str:
        return "WINDLASS_" + self.name.upper().replace("-", "_")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigurationError(f"{message}; -help lists the flags")


def parse_flags(
    flags: Sequence[Flag], modes: Sequence[str], argv: Sequence[str], environment: Mapping[str, str]
) -> dict[str, Any]:
    """The value of every flag that the chosen mode has. A flag wins over its environment variable."""
    given = _given(flags, argv)
    by_name = {flag.name: flag for flag in flags}
    mode = given.get("mode", environment.get(by_name["mode"].variable, by_name["mode"].default))
    if mode not in modes:
        raise ConfigurationError(f"unknown mode {mode!r}; known: {', '.join(modes)}")
    for name in given:
        if by_name[name].modes and mode not in by_name[name].modes:
            raise ConfigurationError(
                f"-{name} is a flag of -mode={' and -mode='.join(by_name[name].modes)}, not of {mode}"
            )
    used = [flag for flag in flags if not flag.modes or mode in flag.modes]
    return {flag.name: _value(flag, given, environment) for flag in used}


def parse_command_flags(flags: Sequence[Flag], argv: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any]:
    """The value of every flag of a command that has no modes."""
    given = _given(flags, argv)
    return {flag.name: _value(flag, given, environment) for flag in flags}


def _given(flags: Sequence[Flag], argv: Sequence[str]) -> dict[str, str]:
    parser = _Parser(prog="windlass", add_help=False, allow_abbrev=False, argument_default=argparse.SUPPRESS)
    for flag in flags:
        # As in Go, a switch that is merely named is on.
        bare: dict[str, Any] = {"nargs": "?", "const": "true"} if flag.parse is switch else {}
        parser.add_argument(f"-{flag.name}", f"--{flag.name}", dest=flag.name, **bare)
    return vars(parser.parse_args(argv))


def _value(flag: Flag, given: Mapping[str, str], environment: Mapping[str, str]) -> Any:
    source, text = f"-{flag.name}", given.get(flag.name)
    for variable in (flag.variable, flag.also_variable):
        if text is None and variable:
            source, text = variable, environment.get(variable)
    if text is None:
        source, text = f"-{flag.name}", flag.default
    try:
        return flag.parse(text)
    except ValueError as error:
        raise ConfigurationError(f"{source}: {text!r} {error}") from None


_COMMANDS = (
    "explain KIND [NAMESPACE/]NAME    why a process did what it did",
    "install-crds [-kubeconfig=FILE]  puts the definitions of all kinds on a server",
    "webhook                          serves the mutator of peer pods",
)


def usage(flags: Sequence[Flag], modes: Mapping[str, str]) -> str:
    lines = ["usage: windlass -mode=MODE [flags]", *(f"       windlass {each}" for each in _COMMANDS), "", "modes:"]
    lines += [f"  {name:<12} {text}" for name, text in modes.items()]
    lines += ["", "flags (one dash or two, `=` or a space; or the environment variable WINDLASS_<FLAG>):"]
    for flag in flags:
        default = f" (default {flag.default})" if flag.default else ""
        only = f" [{', '.join(flag.modes)}]" if flag.modes else ""
        lines.append(f"  -{flag.name:<28} {flag.help}{default}{only}")
    return "\n".join([*lines, ""])
