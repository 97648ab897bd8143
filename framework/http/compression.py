"""Gzip, as the real server uses it: large answers only, at the quickest level."""

import zlib

import msgspec

from framework.http.exchange import Answer, ServerRequest
from framework.http.options import HttpOptions

_QUICKEST = 1
_GZIP_FORMAT = 31


def wants_gzip(options: HttpOptions, request: ServerRequest, answer: Answer) -> bool:
    if answer.stream is None:
        return len(answer.body) > options.gzip_above_bytes and _is_plain(answer) and _accepts_gzip(request)
    return options.gzip_watch_lists and "sendInitialEvents=true" in request.target and _accepts_gzip(request)


def gzip_member(data: bytes) -> bytes:
    """*data* as a gzip file of its own; several after one another are one gzip file."""
    return zlib.compress(data, _QUICKEST, _GZIP_FORMAT)


def compressed(answer: Answer) -> Answer:
    return as_gzip(msgspec.structs.replace(answer, body=gzip_member(answer.body)))


def as_gzip(answer: Answer) -> Answer:
    """*answer* with the headers that say that its body is compressed."""
    headers = {**answer.headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return msgspec.structs.replace(answer, headers=headers)


def _is_plain(answer: Answer) -> bool:
    return not any(name.lower() == "content-encoding" for name in answer.headers)


def _accepts_gzip(request: ServerRequest) -> bool:
    # As the real server: the bare word counts, "gzip;q=0.5" does not.
    return "gzip" in (word.strip() for word in request.headers.get("accept-encoding", "").split(","))
