"""`windlass explain KIND NAMESPACE/NAME`: asks a process on this machine why it did what it did with an object."""

import argparse
import http.client
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TextIO
from urllib.parse import urlencode

import msgspec

from controllers.explained import lines_of
from controllers.options import loopback_address
from framework.errors import ConfigurationError, WindlassError
from framework.journal.report import Explanation, Problem

DEFAULT_ADDRESS = "127.0.0.1:8090"
VARIABLE = "WINDLASS_DEBUG_BIND_ADDRESS"
USAGE = """\
usage: windlass explain KIND [NAMESPACE/]NAME [flags]

Shows the last reconciles of an object: why they ran, what they read and wrote, what came of it, what is next. KIND is
a kind, its plural, singular or short name, or the name of a controller. Asks a windlass on this machine; for one in a
cluster: kubectl exec deploy/windlass -- windlass explain KIND NAMESPACE/NAME

flags:
  -address  the -debug-bind-address of the process (default $WINDLASS_DEBUG_BIND_ADDRESS, or 127.0.0.1:8090)
  -output   text or json (default text)
"""
_PATH = "/debug/explain"
_TIMEOUT_SECONDS = 10.0
_OK = 200


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigurationError(f"explain: {message}; windlass explain -help shows how it is used")


def explain(arguments: Sequence[str], variables: Mapping[str, str], stdout: TextIO) -> None:
    """Print the explanation that *arguments* ask for."""
    if any(argument in {"-h", "-help", "--help"} for argument in arguments):
        stdout.write(USAGE)
        return
    asked = _parse(arguments)
    body = _fetch(_address(asked.address, variables), {"kind": asked.kind, "object": asked.object})
    if asked.output == "json":
        stdout.write(msgspec.json.format(body).decode() + "\n")
        return
    stdout.write("\n".join(lines_of(_decoded(body, Explanation))) + "\n")


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = _Parser(prog="windlass explain", add_help=False, allow_abbrev=False)
    parser.add_argument("kind")
    parser.add_argument("object")
    parser.add_argument("-address", "--address", default="")
    parser.add_argument("-output", "--output", default="text", choices=("text", "json"))
    return parser.parse_args(arguments)


def _address(given: str, variables: Mapping[str, str]) -> str:
    source, text = ("-address", given) if given else (VARIABLE, variables.get(VARIABLE, "") or DEFAULT_ADDRESS)
    try:
        address = loopback_address(text)
    except ValueError as error:
        raise ConfigurationError(f"explain: {source}: {text!r} {error}") from None
    if not address:
        raise ConfigurationError(f"explain: {source} is 0: the process is told to serve no debug page")
    return address


def _fetch(address: str, query: Mapping[str, str]) -> bytes:
    host, _, port = address.rpartition(":")
    connection = http.client.HTTPConnection(host.strip("[]"), int(port), timeout=_TIMEOUT_SECONDS)
    try:
        connection.request("GET", f"{_PATH}?{urlencode(query)}")
        answer = connection.getresponse()
        body = answer.read()
    except (OSError, http.client.HTTPException) as error:
        why = str(error) or type(error).__name__
        raise WindlassError(
            f"explain: no windlass answers at {address} ({why}); is it running here, and with that -debug-bind-address?"
        ) from None
    finally:
        connection.close()
    if answer.status != _OK:
        raise WindlassError(f"explain: {_decoded(body, Problem).error}")
    return body


def _decoded(body: bytes, document: type[Any]) -> Any:
    try:
        return msgspec.json.decode(body, type=document)
    except msgspec.MsgspecError:
        raise WindlassError("explain: what answers at that address is no windlass of this version") from None
