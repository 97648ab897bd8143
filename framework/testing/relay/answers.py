"""Answers the relay gives by itself, as an API server words them."""

from http import HTTPStatus

import msgspec

from framework.errors import Status, StatusCause, StatusDetails
from framework.testing.relay.fault import Respond


def status_body(status: Status) -> bytes:
    """*status* as a whole metav1.Status."""
    header = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    fields = {name: value for name, value in msgspec.to_builtins(status).items() if value is not None}
    return msgspec.json.encode(header | fields)


def error_event(status: Status) -> bytes:
    """A watch line that carries *status*, for InjectEvent."""
    return b'{"type":"ERROR","object":' + status_body(status) + b"}\n"


def expired(message: str = "too old resource version: 1 (2)") -> Respond:
    """410: the version or continue token is gone."""
    return Respond(410, reason="Expired", message=message)


def too_many_requests(retry_after: str = "1", *, close: bool = False) -> Respond:
    """429; with *close* as from a server that shuts down."""
    return Respond(
        429,
        reason="TooManyRequests",
        message="Too many requests, please try again later.",
        headers={"Retry-After": retry_after},
        close=close,
    )


def too_large_resource_version(retry_after_seconds: int = 1) -> Respond:
    """504: the server has not seen that version yet."""
    details = StatusDetails(
        causes=[StatusCause(reason="ResourceVersionTooLarge", message="Too large resource version")],
        retry_after_seconds=retry_after_seconds,
    )
    message = "Timeout: Too large resource version: 2, current: 1"
    return Respond(
        504,
        body=status_body(Status(code=504, reason="Timeout", message=message, details=details)),
        headers={"Retry-After": str(retry_after_seconds)},
    )


def encode_answer(answer: Respond) -> bytes:
    """*answer* as it goes over the wire; its own headers win, even over the true Content-Length."""
    body = answer.body
    if body is None:
        body = status_body(Status(code=answer.status, reason=answer.reason, message=answer.message))
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    if answer.close:
        headers["Connection"] = "close"
    lines = [f"HTTP/1.1 {answer.status} {_phrase(answer.status)}"]
    lines += [f"{name}: {value}" for name, value in (headers | dict(answer.headers)).items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
