"""Reading an answer of a registry: up to a limit, and with its faults in our words."""

from collections.abc import Iterator

import requests

from controllers.ociregistry.errors import RegistryRefused, RegistryUnavailable

_PIECE = 256 * 1024


def read_all(answer: requests.Response, most_bytes: int, what: str) -> bytes:
    content = bytearray()
    for piece in pieces_of(answer, what):
        content += piece
        if len(content) > most_bytes:
            raise RegistryRefused(f"{what}: an answer of more than {most_bytes} bytes")
    return bytes(content)


def pieces_of(answer: requests.Response, what: str) -> Iterator[bytes]:
    try:
        yield from answer.iter_content(_PIECE)
    except requests.RequestException:
        raise RegistryUnavailable(f"{what}: the answer broke off") from None
    finally:
        answer.close()
