"""From HTTP to hooks: paths, content types, deadlines, metrics."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from urllib.parse import parse_qs, urlsplit

import structlog

from framework.clock import Clock
from framework.errors import ApiError, Status, api_error
from framework.http.answers import status_answer
from framework.http.exchange import Answer, ServerRequest
from framework.runtime import Deadline, Runtime, deadline_scope
from framework.webhooks.hooks import Hook, one_line
from framework.webhooks.metrics import WebhookMetrics

_JSON = "application/json"
# What the API server allows at most.
_LONGEST_SECONDS = 30.0
_STUCK_SECONDS = 60.0
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?")
_UNITS = (3600.0, 60.0, 1.0, 0.001)

_log = structlog.get_logger("windlass.webhook")


class WebhookHandler:
    """A Handler of `framework.http`; *client_names* are the only ones who may ask, if there are any."""

    def __init__(
        self,
        hooks: Iterable[Hook],
        *,
        clock: Clock,
        runtime: Runtime,
        metrics: WebhookMetrics,
        client_names: tuple[str, ...] = (),
    ) -> None:
        self._hooks = {hook.path: hook for hook in hooks}
        self._clock = clock
        self._metrics = metrics
        self._client_names = client_names
        # The deadlines of the reviews under way, under _lock.
        self._lock = runtime.lock()
        self._deadlines: dict[int, float] = {}
        self._next_number = count().__next__
        for path in self._hooks:
            metrics.add_webhook(path)

    def may_block(self, request: ServerRequest) -> bool:  # noqa: ARG002 - whatever it asks for
        return True

    def handle(self, request: ServerRequest) -> Answer:
        url = urlsplit(request.target)
        hook = self._hooks.get(url.path)
        if hook is None:
            # Not counted: paths that anybody can make up would be labels without end.
            return status_answer(_refusal(404, "NotFound", f"there is no webhook at {url.path[:200]!r}"))
        deadline = self._deadline(url.query)
        with self._metrics.serving(hook.path), self._counted(deadline), deadline_scope(deadline):
            answer = self._answer(hook, request)
        self._metrics.answered(hook.path, answer.status)
        return answer

    @property
    def stuck(self) -> int:
        """How many handlers have not returned long after everybody stopped waiting for them."""
        now = self._clock.monotonic()
        with self._lock:
            return sum(now > at + _STUCK_SECONDS for at in self._deadlines.values())

    @contextmanager
    def _counted(self, deadline: Deadline) -> Iterator[None]:
        number = self._next_number()
        with self._lock:
            self._deadlines[number] = deadline.at
        try:
            yield
        finally:
            with self._lock:
                del self._deadlines[number]

    def _answer(self, hook: Hook, request: ServerRequest) -> Answer:
        try:
            self._check(request)
            return Answer(200, {"Content-Type": _JSON}, hook.answer(request.body, self._metrics))
        except ApiError as refusal:
            _log.warning("review_refused", path=hook.path, code=refusal.code, error=str(refusal))
            return status_answer(refusal)
        except Exception as error:  # noqa: BLE001 - the caller must get an answer whatever we did wrong
            _log.error("review_failed", path=hook.path, exc_info=error)
            return status_answer(_refusal(500, "InternalError", f"the review failed: {one_line(error)}"))

    def _check(self, request: ServerRequest) -> None:
        if self._client_names and (request.peer is None or request.peer.common_name not in self._client_names):
            raise _refusal(403, "Forbidden", "the client certificate is of nobody who may ask here")
        if request.method != "POST":
            raise _refusal(405, "MethodNotAllowed", f"reviews are sent by POST, not by {request.method}")
        content_type = request.headers.get("content-type", "")
        if content_type.partition(";")[0].strip().lower() != _JSON:
            raise _refusal(415, "UnsupportedMediaType", f"content type {content_type[:100]!r}, {_JSON} is expected")

    def _deadline(self, query: str) -> Deadline:
        seconds = min(_seconds(query), _LONGEST_SECONDS)
        return Deadline(self._clock.monotonic() + seconds, seconds)


def _seconds(query: str) -> float:
    """Of the `timeout` that the API server sends along, in Go's notation."""
    values = parse_qs(query).get("timeout", [""])
    found = _DURATION.fullmatch(values[0])
    if found is None or not any(found.groups()):
        return _LONGEST_SECONDS
    return sum(float(count) * unit for count, unit in zip(found.groups(), _UNITS, strict=True) if count)


def _refusal(code: int, reason: str, message: str) -> ApiError:
    return api_error(Status(code, reason, message))
