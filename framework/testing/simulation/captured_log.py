"""What is logged during a run goes into its outcome, and nowhere else."""

import logging
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import structlog

_MOST_CAUSES = 10
Lines = list[dict[str, Any]]


@contextmanager
def captured_log() -> Iterator[Lines]:
    lines: Lines = []

    def keep(_logger: Any, level: str, event: MutableMapping[str, Any]) -> Any:
        lines.append({"level": level, **event, **_error_of(event.get("exc_info"))})
        raise structlog.DropEvent

    before = structlog.get_config() if structlog.is_configured() else None
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, keep],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        cache_logger_on_first_use=False,
    )
    handler = _Records(lines)
    logging.getLogger().addHandler(handler)
    try:
        yield lines
    finally:
        logging.getLogger().removeHandler(handler)
        structlog.reset_defaults()
        if before is not None:
            structlog.configure(**before)


class _Records(logging.Handler):
    """Of who logs by the standard library."""

    def __init__(self, lines: Lines) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        line = {"level": record.levelname.lower(), "event": record.getMessage()}
        self._lines.append({**line, **_error_of(record.exc_info)})


def _error_of(info: Any) -> dict[str, str]:
    """The text of an exception and of its causes, as a traceback would end with them."""
    if not info:
        return {}
    error = info if isinstance(info, BaseException) else info[1] if isinstance(info, tuple) else sys.exception()
    texts: list[str] = []
    while error is not None and len(texts) < _MOST_CAUSES:
        texts.append(f"{type(error).__name__}: {error}")
        error = error.__cause__ or error.__context__
    return {"exception": "; ".join(texts)} if texts else {}
