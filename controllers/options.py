"""The flags of the binary: Go's way of writing them, one table, each flag known to the modes that use it."""

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import msgspec

from framework.errors import ConfigurationError

_DURATION = re.compile(r"^(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$")
_SECONDS_PER_UNIT = (3600.0, 60.0, 1.0, 0.001)


def duration(text: str) -> float:
    """`30s`, `1m30s`, `500ms`, `0`, or plain seconds."""
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    match = _DURATION.match(text)
    if not text or match is None:
        raise ValueError("is not a duration; write for example 30s, 1m30s or 500ms")
    return sum(float(part) * unit for part, unit in zip(match.groups(), _SECONDS_PER_UNIT, strict=True) if part)


def whole_number(text: str) -> int:
    if not text.isdigit():
        raise ValueError("is not a whole number of 0 or more")
    return int(text)


def positive_number(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise ValueError("is not a whole number of 1 or more")
    return int(text)


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


class Flag(msgspec.Struct, frozen=True):
    name: str
    help: str
    default: str = ""
    parse: Callable[[str], Any] = str
    # Empty: every mode.
    modes: tuple[str, ...] = ()

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


def _given(flags: Sequence[Flag], argv: Sequence[str]) -> dict[str, str]:
    parser = _Parser(prog="windlass", add_help=False, allow_abbrev=False, argument_default=argparse.SUPPRESS)
    for flag in flags:
        parser.add_argument(f"-{flag.name}", f"--{flag.name}", dest=flag.name)
    return vars(parser.parse_args(argv))


def _value(flag: Flag, given: Mapping[str, str], environment: Mapping[str, str]) -> Any:
    source, text = f"-{flag.name}", given.get(flag.name)
    if text is None:
        source, text = flag.variable, environment.get(flag.variable)
    if text is None:
        source, text = f"-{flag.name}", flag.default
    try:
        return flag.parse(text)
    except ValueError as error:
        raise ConfigurationError(f"{source}: {text!r} {error}") from None


def usage(flags: Sequence[Flag], modes: Mapping[str, str]) -> str:
    lines = ["usage: windlass -mode=MODE [flags]", "", "modes:"]
    lines += [f"  {name:<12} {text}" for name, text in modes.items()]
    lines += ["", "flags (one dash or two, `=` or a space; or the environment variable WINDLASS_<FLAG>):"]
    for flag in flags:
        default = f" (default {flag.default})" if flag.default else ""
        only = f" [{', '.join(flag.modes)}]" if flag.modes else ""
        lines.append(f"  -{flag.name:<28} {flag.help}{default}{only}")
    return "\n".join([*lines, ""])
