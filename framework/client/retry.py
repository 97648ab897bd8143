"""Which requests are sent again, and when. The only retry loop towards the API server."""

from collections.abc import Callable
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
_FIRST_WAIT_SECONDS = 0.1
_LONGEST_WAIT_SECONDS = 30.0
_DEFAULT_RETRY_AFTER_SECONDS = 1.0


def parse_retry_after(value: str | None) -> float | None:
    """Seconds of a Retry-After header; dates and nonsense count as one second, absurd values are capped."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        return _DEFAULT_RETRY_AFTER_SECONDS
    return min(max(seconds, 0.0), _LONGEST_WAIT_SECONDS)


def is_retryable(error: BaseException, *, is_read: bool) -> bool:
    """A refused or unsent request may always go again; one with an unknown outcome only if it is a read.

    A write whose answer was lost is not repeated here: the reconciler looks at
    what the server has, and decides again.
    """
    if isinstance(error, TooManyRequests | ConnectError):
        return True
    if not is_read or isinstance(error, Cancelled | TlsError | TooLargeResourceVersion):
        return False
    return isinstance(error, TransportError | ServerError)


class Retrier:
    def __init__(self, *, sleep: Callable[[float], None], random: Random) -> None:
        self._sleep = sleep
        self._random = random

    def resume_after(
        self,
        first_failure: WindlassError,
        attempt: Callable[[], Answer],
        *,
        is_read: bool,
        on_retry: Callable[[BaseException], None],
    ) -> Answer:
        """Go on after a first attempt that failed.

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
            if error is not None:
                on_retry(error)

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
        backoff = min(_FIRST_WAIT_SECONDS * 2.0 ** (state.attempt_number - 1), _LONGEST_WAIT_SECONDS)
        if isinstance(error, ApiError) and error.retry_after_seconds is not None:
            backoff = max(backoff, error.retry_after_seconds)
        # Jitter only upwards: a server that named a time is not asked earlier.
        return backoff * self._random.uniform(1.0, 1.2)
