"""The parts of a multipart body: a streaming parser with limits, whose first complaint ends it."""

from collections.abc import Iterator
from typing import Any

import msgspec
from multipart import MultipartError, ParserLimitReached, PushMultipartParser, parse_options_header

from controllers.cfapi import failure

_FORM = "multipart/form-data"
_CHUNK_BYTES = 64 * 1024
# Content-Disposition and Content-Type, each with a name of a module in it.
_MAX_HEADER_BYTES = 8 * 1024


class Part(msgspec.Struct, frozen=True):
    """One field of the form; *name* is whatever the client liked."""

    name: str
    # Lower case and without parameters; empty if the part has none.
    content_type: str
    body: bytes


def parse_form(content_type: str, body: bytes, *, max_parts: int) -> list[Part]:
    """All parts in their order; raises what to answer if this is no form, or one with too many parts."""
    kind, parameters = parse_options_header(content_type)
    boundary = parameters.get("boundary", "")
    if kind != _FORM or not boundary:
        raise failure.bad_json(f"it is not {_FORM}")
    try:
        return list(_parts(boundary, body, max_parts))
    except ParserLimitReached:
        raise failure.too_large(f"the form has more than {max_parts} parts, or a part with too long headers") from None
    except MultipartError as error:
        raise failure.bad_json(f"it is not a whole {_FORM}: {error}") from None


def _parts(boundary: str, body: bytes, max_parts: int) -> Iterator[Part]:
    whole = memoryview(body)
    segment: Any = None
    chunks: list[bytes] = []
    with PushMultipartParser(
        boundary, content_length=len(body), max_header_size=_MAX_HEADER_BYTES, max_segment_count=max_parts, strict=True
    ) as parser:
        for start in range(0, len(whole), _CHUNK_BYTES):
            for event in parser.parse(bytes(whole[start : start + _CHUNK_BYTES])):
                if event is None:
                    yield Part(segment.name, segment.content_type or "", b"".join(chunks))
                    chunks = []
                elif isinstance(event, bytes | bytearray):
                    chunks.append(bytes(event))
                else:
                    segment = event
