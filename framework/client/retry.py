"""Which requests are sent again, and when. The only retry loop towards the API server."""

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

import tenacity

from framework.errors import (
    ApiError,
    Cancelled,
    ConnectError,
    ServerError,
    TlsError,
    TooLargeResourceVersion,
    TooManyRequests,
    TransportError,
    WindlassError,
)
from framework.randomness import Random

Answer = TypeVar("Answer")

MAX_ATTEMPTS = 6
LONGEST_WAIT_SECONDS = 30.0
_FIRST_WAIT_SECONDS = 0.1
_DEFAULT_RETRY_AFTER_SECONDS = 1.0
_JITTER = 1.2


def parse_retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds of a Retry-After header, a number or a date; nonsense counts as one second, absurd values are capped."""
    if value is None:
        return None
    return min(max(_seconds(value.strip(), now), 0.0), LONGEST_WAIT_SECONDS)


def _seconds(value: str, now: datetime) -> float:
    # isascii: isdecimal alone accepts digits of other scripts. More than 9 of them are absurd, and may be too many.
    if value.isascii() and value.isdecimal():
        return float(value[:9])
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return _DEFAULT_RETRY_AFTER_SECONDS
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - now.timestamp()


def is_retryable(error: BaseException, *, is_read: bool) -> bool:
    """A refused or unsent request may always go again; one with an unknown outcome only if it is a read.

    A write whose answer was lost is not repeated here, not even one that
    carries a resourceVersion: the reconciler looks at what the server has, and
    decides again.
    """
    if isinstance(error, TooManyRequests | ConnectError):
        return True
    if not is_read or isinstance(error, Cancelled | TlsError | TooLargeResourceVersion):
        return False
    return isinstance(error, TransportError | ServerError)


class Retrier:
    """Sends again, with growing waits and a limit."""

    def __init__(self, *, sleep: Callable[[float], None], random: Random) -> None:
        self._sleep = sleep
        self._random = random

    def resume_after(
        self,
        first_failure: WindlassError,
        attempt: Callable[[], Answer],
        *,
        is_read: bool,
        before_wait: Callable[[BaseException, float], None],
    ) -> Answer:
        """Go on after a first attempt that failed; *before_wait* may raise to give up.

        The first attempt is made outside: entering tenacity costs a good part
        of what a whole request costs, and nearly all requests succeed.
        """
        failures = iter([first_failure])

        def next_attempt() -> Answer:
            failure = next(failures, None)
            if failure is not None:
                raise failure
            return attempt()

        def before_sleep(state: tenacity.RetryCallState) -> None:
            error = state.outcome.exception() if state.outcome else None
            if error is not None and state.next_action is not None:
                before_wait(error, state.next_action.sleep)

        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(MAX_ATTEMPTS),
            wait=self._wait,
            retry=tenacity.retry_if_exception(lambda error: is_retryable(error, is_read=is_read)),
            sleep=self._sleep,
            before_sleep=before_sleep,
            reraise=True,
        )
        return retrying(next_attempt)

    def _wait(self, state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        backoff = min(_FIRST_WAIT_SECONDS * 2.0 ** (state.attempt_number - 1), LONGEST_WAIT_SECONDS)
        if isinstance(error, ApiError) and error.retry_after_seconds is not None:
            backoff = max(backoff, error.retry_after_seconds)
        # Jitter only upwards: a server that named a time is not asked earlier.
        return backoff * self._random.uniform(1.0, _JITTER)
