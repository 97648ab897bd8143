"""Every exception the framework raises.

WindlassError
├── ConfigurationError          the process cannot start as it was told to
│   └── KubeconfigError         a kubeconfig that came from an object cannot be used
│       └── ForbiddenKubeconfig   it asks for what it may not have: programs, files, proxies
├── TerminalError               raised by a reconciler: no retry, wait for a change
│   └── ValueWithheld           a value of a Secret was read from a cache that holds none
├── Denied                      raised by a webhook: the request is refused with this message
├── DeadlineExceeded            the reconcile's own timeout ran out
├── CacheBehind                 a cache has not caught up with what this process wrote
├── QueueShutDown               a get on a queue that has ended
├── LeadershipLost              a write of a leader that leads no more: not sent, or cut off under way
├── TransportError              no answer: nothing is known about what the server did
│   ├── ConnectError            nothing was sent
│   │   └── ClusterUnavailable  nothing was tried, for the sake of the other clusters
│   │       ├── ClusterBusy           its share of the workers is taken
│   │       └── ClusterUnreachable    it has not answered lately
│   ├── TimedOut                a phase of the exchange took too long
│   ├── TlsError                the certificates do not fit
│   └── Cancelled               we ended the exchange ourselves
└── ApiError                    the server answered with a Status
    ├── BadRequest              400
    ├── Unauthorized            401
    ├── Forbidden               403
    ├── NotFound                404
    ├── MethodNotAllowed        405
    ├── Conflict                409, reason Conflict: the object changed, or another manager owns the field
    ├── AlreadyExists           409, reason AlreadyExists
    ├── Expired                 410, or reason Expired or Gone
    ├── RequestEntityTooLarge   413
    ├── UnsupportedMediaType    415
    ├── Invalid                 422
    ├── TooManyRequests         429
    └── ServerError             5xx
        └── TooLargeResourceVersion   the server has not seen that version yet
"""

from collections.abc import Mapping, Sequence

import msgspec


class WindlassError(Exception):
    """Base of all; its text is one line for a person."""


class ConfigurationError(WindlassError):
    """What was asked for cannot be done; the text says what, where and what next."""


class KubeconfigError(ConfigurationError):
    """The text names *field*, where to look, and never a value: it may be a secret."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"kubeconfig: {field}: {problem}")
        self.field = field


class ForbiddenKubeconfig(KubeconfigError):
    """A kubeconfig that somebody else wrote may bring data, nothing that makes this process act."""


class TerminalError(WindlassError):
    """Retrying cannot help; only a change of the object can."""


class ValueWithheld(TerminalError):
    """The cache does not hold the values of Secrets."""


class Denied(WindlassError):
    """Raised by an admission webhook: who made the request is told *message*, with *code* and *reason*."""

    def __init__(
        self, message: str, *, code: int = 403, reason: str = "Forbidden", causes: "Sequence[StatusCause]" = ()
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.causes = tuple(causes)


class DeadlineExceeded(WindlassError):
    """The per-reconcile timeout ran out."""


class CacheBehind(WindlassError):
    """A read would have shown less than this process has written; the next try may find it."""


class QueueShutDown(WindlassError):
    """The queue has ended."""


class LeadershipLost(WindlassError):
    """The term in which the work began is over; the write was not sent, or cut off under way.

    A reconciler lets it pass: the controller takes the request back and does
    not count a failure.
    """

    def __init__(self, message: str, *, may_have_been_made: bool = False) -> None:
        super().__init__(message)
        # Whether the write was under way, so that its outcome is unknown.
        self.may_have_been_made = may_have_been_made


class TransportError(WindlassError):
    """No answer was received."""


class ConnectError(TransportError):
    """The server could not be reached; nothing was sent."""


class ClusterUnavailable(ConnectError):
    """Says nothing about the object: the request is to come again in *retry_after_seconds*."""

    def __init__(self, message: str, *, retry_after_seconds: float) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class ClusterBusy(ClusterUnavailable):
    """As many requests as are allowed are under way."""


class ClusterUnreachable(ClusterUnavailable):
    """The cluster did not answer the last time; it is being asked whether it does again."""


class TimedOut(TransportError):
    """The server took too long."""


class TlsError(TransportError):
    """The server's or our certificate was refused."""


class Cancelled(TransportError):
    """The exchange was ended from this side."""


class StatusCause(msgspec.Struct, frozen=True, rename="camel"):
    reason: str = ""
    message: str = ""
    field: str = ""


class StatusDetails(msgspec.Struct, frozen=True, rename="camel"):
    name: str = ""
    group: str = ""
    kind: str = ""
    uid: str = ""
    causes: list[StatusCause] | None = None
    retry_after_seconds: int = 0


class Status(msgspec.Struct, frozen=True, rename="camel"):
    """metav1.Status, as the server sends it with every error."""

    code: int = 0
    reason: str = ""
    message: str = ""
    details: StatusDetails | None = None


class ApiError(WindlassError):
    """The server refused; `reason` and `causes` tell why."""

    def __init__(self, status: Status, *, retry_after_seconds: float | None = None) -> None:
        # Messages of the server, e.g. on conflicts of an apply, may have several lines.
        super().__init__(" ".join((status.message or f"HTTP {status.code} {status.reason}").split()))
        self.status = status
        self.retry_after_seconds = retry_after_seconds

    @property
    def code(self) -> int:
        return self.status.code

    @property
    def reason(self) -> str:
        return self.status.reason

    @property
    def details(self) -> StatusDetails:
        return self.status.details or StatusDetails()

    @property
    def causes(self) -> Sequence[StatusCause]:
        return self.details.causes or ()

    def has_cause(self, reason: str) -> bool:
        return any(cause.reason == reason for cause in self.causes)


class BadRequest(ApiError):
    pass


class Unauthorized(ApiError):
    pass


class Forbidden(ApiError):
    pass


class NotFound(ApiError):
    pass


class MethodNotAllowed(ApiError):
    pass


class Conflict(ApiError):
    pass


class AlreadyExists(ApiError):
    pass


class Expired(ApiError):
    pass


class RequestEntityTooLarge(ApiError):
    pass


class UnsupportedMediaType(ApiError):
    pass


class Invalid(ApiError):
    pass


class TooManyRequests(ApiError):
    pass


class ServerError(ApiError):
    pass


class TooLargeResourceVersion(ServerError):
    pass


_BY_REASON: Mapping[str, type[ApiError]] = {
    "AlreadyExists": AlreadyExists,
    "BadRequest": BadRequest,
    "Conflict": Conflict,
    "Expired": Expired,
    "Forbidden": Forbidden,
    "Gone": Expired,
    "InternalError": ServerError,
    "Invalid": Invalid,
    "MethodNotAllowed": MethodNotAllowed,
    "NotFound": NotFound,
    "RequestEntityTooLarge": RequestEntityTooLarge,
    "ServerTimeout": ServerError,
    "ServiceUnavailable": ServerError,
    "Timeout": ServerError,
    "TooManyRequests": TooManyRequests,
    "Unauthorized": Unauthorized,
    "UnsupportedMediaType": UnsupportedMediaType,
}
_BY_CODE: Mapping[int, type[ApiError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    405: MethodNotAllowed,
    409: Conflict,
    410: Expired,
    413: RequestEntityTooLarge,
    415: UnsupportedMediaType,
    422: Invalid,
    429: TooManyRequests,
}
_FIRST_SERVER_ERROR = 500


def api_error(status: Status, *, retry_after_seconds: float | None = None) -> ApiError:
    """The exception that fits *status*; the reason counts before the code."""
    return _class_of(status)(status, retry_after_seconds=retry_after_seconds)


def _class_of(status: Status) -> type[ApiError]:
    causes = (status.details and status.details.causes) or []
    if any(cause.reason == "ResourceVersionTooLarge" for cause in causes) or (
        status.reason == "Timeout" and "Too large resource version" in status.message
    ):
        return TooLargeResourceVersion
    if status.reason in _BY_REASON:
        return _BY_REASON[status.reason]
    if status.code >= _FIRST_SERVER_ERROR:
        return ServerError
    return _BY_CODE.get(status.code, ApiError)
