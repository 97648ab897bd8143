"""Logs: one JSON object a line, or coloured lines on a terminal; secrets are blotted out on the way."""

import logging
import re
import sys
from collections.abc import Mapping
from typing import Any, TextIO

import structlog

REDACTED = "[redacted]"
_SECRET_KEY = re.compile(
    r"(authorization|password|passwd|secret|token|api[-_]?key|private[-_]?key|credential|kubeconfig)s?$", re.IGNORECASE
)
_SECRET_VALUE = re.compile(
    r"(?P<lead>\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----",
    re.IGNORECASE | re.DOTALL,
)


def configure_logging(*, stream: TextIO = sys.stderr, level: int = logging.INFO, as_json: bool | None = None) -> None:
    """Set up once, in `main`; JSON unless *stream* is a terminal."""
    if as_json is None:
        as_json = not stream.isatty()
    renderer: Any = structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            redact,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
        cache_logger_on_first_use=True,
    )


def redact(_logger: object, _method: str, event: Any) -> Any:
    """A structlog processor: values under a secret's name, and anything that looks like a credential."""
    return {name: REDACTED if _SECRET_KEY.search(name) else without_secrets(value) for name, value in event.items()}


def without_secrets(value: Any) -> Any:
    if isinstance(value, str):
        return _SECRET_VALUE.sub(lambda match: (match["lead"] or "") + REDACTED, value)
    if isinstance(value, Mapping):
        return redact(None, "", value)
    if isinstance(value, list | tuple):
        return [without_secrets(item) for item in value]
    return value
