"""Logs: one JSON object a line, or coloured lines on a terminal; secrets are blotted out on the way.

Guarantees: nothing is written under the name of a secret, and nothing that
looks like a credential, in keys, values, nested values, exceptions and
tracebacks.
Not guaranteed: that a secret without a telling name or shape is recognised.
"""

import logging
import re
import sys
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, TextIO

import structlog

REDACTED = "[redacted]"
_CONFIDENTIAL = (
    r"(?:authorization|password|passwd|passphrase|secret|token|cookie|credential|kubeconfig"
    r"|(?:api|access|private|client)[-_]?key(?:[-_]?data)?)s?"
)
_SECRET_KEY = re.compile(rf"{_CONFIDENTIAL}$", re.IGNORECASE)
_SECRET_VALUE = re.compile(
    # What follows a scheme of the Authorization header, but not the name of a field.
    r"(?P<scheme>\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}"
    # name=value, name: value, "name": "value". What stands before the telling word stays as it is, so it is not looked
    # at: a pattern for it would take quadratic time on a long text.
    rf"|(?P<name>{_CONFIDENTIAL}[\"']?\s*[=:]\s*[\"']?)(?!(?:bearer|basic)\b)[^\s\"',;&{{}}\[\]]{{4,}}"
    # https://user:password@host
    r"|(?P<login>\w://)[^\s/:@]*:[^\s/@]+(?=@)"
    # A JSON Web Token, and PEM in base64.
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"
    r"|\bLS0tLS1CRUdJTi[A-Za-z0-9+/=]+"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.IGNORECASE | re.DOTALL,
)
# The fields of a Secret that hold what its name says.
_SECRET_FIELDS = frozenset({"data", "stringData"})


def configure_logging(*, stream: TextIO = sys.stderr, level: int = logging.INFO, as_json: bool | None = None) -> None:
    """Set up once, in `main`; JSON unless *stream* is a terminal."""
    if as_json is None:
        as_json = not stream.isatty()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            # Before redaction: a traceback ends with the text of the exception.
            structlog.processors.format_exc_info,
            redact,
            structlog.processors.JSONRenderer() if as_json else _console(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
        cache_logger_on_first_use=True,
    )


def redact(_logger: object, _method: str, event: Any) -> Any:
    """A structlog processor: values under a secret's name, and anything that looks like a credential."""
    hidden = _SECRET_FIELDS if event.get("kind") == "Secret" else frozenset()
    return {
        # A key that is no text cannot be rendered, and a log line must never fail.
        without_secrets(str(name)): REDACTED if name in hidden or _names_secret(name) else without_secrets(value)
        for name, value in event.items()
    }


def without_secrets(value: Any) -> Any:
    """*value* as text, numbers, lists and dicts, without what looks like a credential."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return redact(None, "", value)
    if isinstance(value, list | tuple | AbstractSet):
        return [without_secrets(item) for item in value]
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    # Everything else would be turned into text by the renderer, after this look.
    return _SECRET_VALUE.sub(_blot, str(value))


def _names_secret(name: object) -> bool:
    return isinstance(name, str) and _SECRET_KEY.search(name) is not None


def _blot(found: re.Match[str]) -> str:
    return (found["scheme"] or found["name"] or found["login"] or "") + REDACTED


def _console() -> structlog.dev.ConsoleRenderer:
    return structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
