"""Bodies that are too large, or of somebody who may not send any: most of them is never read."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import msgspec
import pytest

from tests.component.cfapi.world import TOKENS, MakeWorld, World

MEBIBYTE = 1024 * 1024
HEAD = "PUT /client/v4/accounts/acme/workers/scripts/hello HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"


@contextmanager
def connection_to(world: World) -> Iterator[socket.socket]:
    address = urlsplit(world.url)
    with socket.create_connection((address.hostname, address.port), timeout=10) as opened:
        yield opened


def answer_on(opened: socket.socket) -> tuple[int, int]:
    """Status and code."""
    with opened.makefile("rb") as lines:
        status = int(lines.readline().split()[1])
        while lines.readline() != b"\r\n":
            pass
        return status, msgspec.json.decode(lines.read())["errors"][0]["code"]


def test_upload_that_says_it_is_too_large_is_refused_before_its_first_byte(quiet_world: World) -> None:
    with connection_to(quiet_world) as opened:
        opened.sendall(HEAD.format(token=TOKENS["write"]).encode() + b"Content-Length: 104857600\r\n\r\n")

        assert answer_on(opened) == (413, 10027)


def test_upload_of_unknown_length_is_read_up_to_the_limit_and_no_further(make_world: MakeWorld) -> None:
    world = make_world(max_upload_bytes=MEBIBYTE)
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"

    with connection_to(world) as opened:
        opened.sendall(HEAD.format(token=TOKENS["write"]).encode() + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(17):
            opened.sendall(chunk)

        assert answer_on(opened) == (413, 10027)


@pytest.mark.parametrize(("token", "expected"), [("wrong", (401, 10000)), (TOKENS["read"], (403, 10000))])
def test_large_upload_of_somebody_who_may_not_is_refused_before_its_first_byte(
    quiet_world: World, token: str, expected: tuple[int, int]
) -> None:
    with connection_to(quiet_world) as opened:
        opened.sendall(HEAD.format(token=token).encode() + b"Content-Length: 20000000\r\n\r\n")

        assert answer_on(opened) == expected


def test_what_is_no_http_is_refused_in_the_words_of_the_api(quiet_world: World) -> None:
    with connection_to(quiet_world) as opened:
        opened.sendall(b"NONSENSE\r\n\r\n")

        assert answer_on(opened) == (400, 10001)
