"""How an answer looks on the wire."""

from datetime import UTC, datetime
from http import HTTPStatus

import msgspec

from framework.clock import Clock
from framework.errors import ApiError
from framework.http.exchange import Answer
from framework.http.request_parser import Incoming
from framework.http.status_document import status_document

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
# Answers to OPTIONS *, a question about the server as a whole.
NOTHING_TO_SAY = Answer(200, {})
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_WITHOUT_BODY = frozenset({204, 304})
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def status_answer(error: ApiError) -> Answer:
    headers = {"Cache-Control": "no-cache, private", "Content-Type": "application/json"}
    if error.retry_after_seconds is not None:
        headers["Retry-After"] = f"{error.retry_after_seconds:g}"
    return Answer(error.code, headers, msgspec.json.encode(status_document(error)) + b"\n")


class HeadWriter:
    """Writes the heads of answers; keeps the date, which changes once a second only."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._second = datetime.min.replace(tzinfo=UTC)
        self._date = ""

    def head(self, answer: Answer, *, is_http_1_1: bool, keep_alive: bool) -> bytes:
        status = answer.status
        lines = [f"HTTP/{'1.1' if is_http_1_1 else '1.0'} {status} {_PHRASES.get(status, 'Unknown')}"]
        lines += [f"{name}: {_one_line(value)}" for name, value in answer.headers.items()]
        lines += [f"Warning: {_one_line(warning)}" for warning in answer.warnings]
        lines.append(f"Date: {self._http_date()}")
        if answer.stream is None:
            if status not in _WITHOUT_BODY:
                lines.append(f"Content-Length: {len(answer.body)}")
        elif is_http_1_1:
            lines.append("Transfer-Encoding: chunked")
        if keep_alive != is_http_1_1:
            lines.append("Connection: keep-alive" if keep_alive else "Connection: close")
        lines.append("\r\n")
        return "\r\n".join(lines).encode()

    def _http_date(self) -> str:
        now = self._clock.now().replace(microsecond=0)
        if now != self._second:
            self._second = now
            self._date = f"{_DAYS[now.weekday()]}, {now:%d} {_MONTHS[now.month - 1]} {now:%Y %H:%M:%S} GMT"
        return self._date


def has_body(incoming: Incoming, answer: Answer) -> bool:
    return incoming.request.method != "HEAD" and answer.status not in _WITHOUT_BODY


def _one_line(value: str) -> str:
    # A name of the user's in a warning must not become a header of its own.
    return value if value.isprintable() else "".join(char if char.isprintable() else " " for char in value)
