"""Who may read metrics: whoever shows a token that the API server knows, of a user who may get that path.

Guarantees: nobody is let in without both answers of the API server; no token is
kept, logged or told; what is remembered is bounded, in number and in time.
Not guaranteed: that a right which is taken away, or a token that is revoked,
counts at once: see the times below, which are those of controller-runtime.
"""

import hashlib
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Generic, TypeVar

import structlog

from apis.meta import GroupVersionKind, ResourceType, Unstructured
from framework.client import Client
from framework.clock import Clock
from framework.errors import WindlassError
from framework.manager.server import Page, Route, text_page
from framework.rights import Right
from framework.runtime import Runtime

TOKEN_REVIEWS = ResourceType(GroupVersionKind("authentication.k8s.io", "v1", "TokenReview"), "tokenreviews", "Cluster")
SUBJECT_REVIEWS = ResourceType(
    GroupVersionKind("authorization.k8s.io", "v1", "SubjectAccessReview"), "subjectaccessreviews", "Cluster"
)
# Optional: without them the process works, and nobody reads its metrics.
REVIEW_RIGHTS = (
    Right("create", TOKEN_REVIEWS, is_optional=True),
    Right("create", SUBJECT_REVIEWS, is_optional=True),
)
_TOKEN_SECONDS, _ALLOWED_SECONDS, _DENIED_SECONDS = 60.0, 300.0, 30.0
_MOST_ANSWERS = 1000
_LONGEST_TOKEN = 16 * 1024
_SCHEME = "bearer "

_log = structlog.get_logger("windlass.manager")

Answer = TypeVar("Answer")
User = dict[str, Any]


class MetricsAccess:
    """Asks reviews of the API server, and remembers the answers for a while."""

    def __init__(self, client: Client, *, clock: Clock, runtime: Runtime) -> None:
        self._client = client
        self._users: _Answers[User | None] = _Answers(clock, runtime)
        self._verdicts: _Answers[bool] = _Answers(clock, runtime)

    def guard(self, route: Route) -> Route:
        """*route* for those who may get its path; 401 and 403 for others, 500 while the API server does not say."""

        def guarded(headers: Mapping[str, str]) -> Page:
            try:
                refusal = self._refusal(headers)
            except WindlassError as error:
                _log.warning("metrics_not_reviewed", error=str(error))
                return text_page(HTTPStatus.INTERNAL_SERVER_ERROR, "the API server could not be asked who you are\n")
            return refusal or route(headers)

        return guarded

    def _refusal(self, headers: Mapping[str, str]) -> Page | None:
        token = _token_of(headers.get("authorization", ""))
        user = self._user_of(token) if token else None
        if user is None:
            return text_page(HTTPStatus.UNAUTHORIZED, "unauthorized\n", ("WWW-Authenticate", "Bearer"))
        path = headers[":path"].partition("?")[0]
        if not self._is_allowed(user, path):
            return text_page(HTTPStatus.FORBIDDEN, f"user {user.get('username', '')!r} may not get {path}\n")
        return None

    def _user_of(self, token: str) -> User | None:
        key = hashlib.sha256(token.encode()).hexdigest()
        known = self._users.get(key)
        if known is not None:
            return known[0]
        status = self._review(TOKEN_REVIEWS, {"token": token})
        user: User | None = status.get("user") if status.get("authenticated") else None
        self._users.put(key, user, _TOKEN_SECONDS)
        return user

    def _is_allowed(self, user: User, path: str) -> bool:
        key = hashlib.sha256(repr((sorted(user.items()), path)).encode()).hexdigest()
        known = self._verdicts.get(key)
        if known is not None:
            return known[0]
        spec = {
            "user": user.get("username", ""),
            "uid": user.get("uid", ""),
            "groups": user.get("groups", []),
            "extra": user.get("extra", {}),
            "nonResourceAttributes": {"path": path, "verb": "get"},
        }
        is_allowed = bool(self._review(SUBJECT_REVIEWS, spec).get("allowed"))
        self._verdicts.put(key, is_allowed, _ALLOWED_SECONDS if is_allowed else _DENIED_SECONDS)
        return is_allowed

    def _review(self, kind: ResourceType, spec: Mapping[str, Any]) -> Mapping[str, Any]:
        answer = self._client.create(Unstructured(content={"spec": dict(spec)}), kind=kind)
        status: Mapping[str, Any] = answer.content.get("status", {})
        return status


class _Answers(Generic[Answer]):
    """Answers with an end; of too many, the oldest go."""

    def __init__(self, clock: Clock, runtime: Runtime) -> None:
        self._clock = clock
        self._lock = runtime.lock()
        # In the order in which they were put.
        self._by_key: dict[str, tuple[float, Answer]] = {}

    def get(self, key: str) -> tuple[Answer] | None:
        """In a tuple, as an answer may be None."""
        with self._lock:
            found = self._by_key.get(key)
            return (found[1],) if found is not None and self._clock.monotonic() < found[0] else None

    def put(self, key: str, answer: Answer, seconds: float) -> None:
        with self._lock:
            self._by_key.pop(key, None)
            while len(self._by_key) >= _MOST_ANSWERS:
                del self._by_key[next(iter(self._by_key))]
            self._by_key[key] = (self._clock.monotonic() + seconds, answer)


def _token_of(authorization: str) -> str:
    if not authorization.lower().startswith(_SCHEME) or len(authorization) > _LONGEST_TOKEN:
        return ""
    return authorization[len(_SCHEME) :].strip()
