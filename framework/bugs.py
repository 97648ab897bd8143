"""What must not happen is written to the log."""

from typing import Any

from framework.loading import LOADING


def report_bug(what: str, error: BaseException | None, **context: object) -> None:
    _log().error(what, exc_info=error, **context)


def report_trouble(what: str, **context: object) -> None:
    """Of something that may happen, and that somebody may want to look into."""
    _log().warning(what, **context)


def _log() -> Any:
    # Imported when it happens: loading it takes longer than the start of the whole server may.
    with LOADING:
        import structlog

        from framework.log import configure_logging

    if not structlog.is_configured():
        # Without a program that has done it, lines would go to stdout, and with them the secrets in tracebacks.
        configure_logging()
    return structlog.get_logger("windlass.server")
