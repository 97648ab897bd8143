"""What a process finds out before it begins, so that a mistake is one clear line and not a process that hangs."""

from collections.abc import Sequence

import msgspec

from apis.core.v1 import Namespace
from apis.meta import GroupVersionKind, Key, ResourceType, Unstructured
from framework.client import Client
from framework.clock import Clock
from framework.errors import Forbidden, NotFound, TlsError, TransportError, Unauthorized, WindlassError

ACCESS_REVIEWS = ResourceType(
    GroupVersionKind("authorization.k8s.io", "v1", "SelfSubjectAccessReview"), "selfsubjectaccessreviews", "Cluster"
)
_ASK_AGAIN_SECONDS = 5.0


class Right(msgspec.Struct, frozen=True):
    verb: str
    resource: ResourceType
    subresource: str = ""

    def __str__(self) -> str:
        return f"{self.verb} {self.resource}" + (f"/{self.subresource}" if self.subresource else "")


def check_reachable(client: Client) -> None:
    try:
        client.raw_get("/version")
    except Unauthorized:
        server = client.connection.server
        raise WindlassError(f"{server} does not accept the credentials: is the token expired?") from None
    except TlsError as error:
        raise WindlassError(f"the API server's certificate is not accepted: {error}") from None
    except TransportError as error:
        raise WindlassError(f"the API server cannot be reached: {error}") from None
    except Forbidden:
        # It knows us and may forbid even this; what really matters will say so.
        return


def check_namespace(client: Client, name: str) -> None:
    try:
        namespace = client.get(Namespace, Key("", name))
    except NotFound:
        raise WindlassError(f"namespace {name!r} does not exist; create it or choose another with -namespace") from None
    except Forbidden:
        # Whoever may write in a namespace need not be allowed to look at it.
        return
    if namespace.metadata.is_being_deleted:
        raise WindlassError(f"namespace {name!r} is being deleted; wait, or choose another with -namespace")


class Rights:
    """The rights that a process needs in one namespace."""

    def __init__(self, client: Client, namespace: str, needed: Sequence[Right], *, clock: Clock) -> None:
        self._client = client
        self._namespace = namespace
        # Those not yet known to be given; a right once seen is not asked for again.
        self._missing = list(needed)
        self._clock = clock
        self._problem: str | None = None
        self._ask_at = clock.monotonic()

    def check(self) -> None:
        problem = self.problem()
        if problem is not None:
            raise WindlassError(problem)

    def problem(self) -> str | None:
        """Which rights are missing, in one line; None when none is. Cheap enough for a probe."""
        if self._missing and self._clock.monotonic() >= self._ask_at:
            self._missing = [right for right in self._missing if not self._is_given(right)]
            self._problem = self._describe() if self._missing else None
            self._ask_at = self._clock.monotonic() + _ASK_AGAIN_SECONDS
        return self._problem

    def _describe(self) -> str:
        rights = ", ".join(map(str, self._missing))
        return f"missing rights in namespace {self._namespace!r}: {rights}; bind a Role that allows them"

    def _is_given(self, right: Right) -> bool:
        attributes = {
            "namespace": self._namespace,
            "verb": right.verb,
            "group": right.resource.gvk.group,
            "resource": right.resource.plural,
            "subresource": right.subresource,
        }
        content = {"spec": {"resourceAttributes": attributes}}
        try:
            review = self._client.create(Unstructured(content=content), kind=ACCESS_REVIEWS)
        except Forbidden:
            # Not even this may be asked; what is really forbidden will say so.
            return True
        return bool(review.content.get("status", {}).get("allowed"))
