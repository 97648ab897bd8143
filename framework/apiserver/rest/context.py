"""One request to one resource, and what the verbs need to answer it."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Protocol

import msgspec

from apis.meta import Key
from framework.apiserver.admission import AdmissionRequest
from framework.apiserver.auth import Authorizer, UserInfo
from framework.apiserver.deadline import Deadline, seconds_allowed
from framework.apiserver.objects import Object
from framework.apiserver.resource import Manager, Resource
from framework.apiserver.rest.request_info import Query, RequestInfo
from framework.apiserver.status import bad_request
from framework.apiserver.storage import Storage, Table
from framework.clock import Clock
from framework.http.exchange import ServerRequest
from framework.randomness import Random

_NEVER_NAMES = frozenset({".", ".."})


class AdmissionChain(Protocol):
    def mutate(self, request: AdmissionRequest) -> Object | None:
        """The object as the mutating webhooks leave it."""

    def validate(self, request: AdmissionRequest) -> None:
        """Raise what the first objection says."""


class Services(msgspec.Struct, frozen=True):
    storage: Storage
    clock: Clock
    random: Random
    admission: AdmissionChain
    authorizer: Authorizer
    # The longest a watch goes without a bookmark, and the shortest time after which the server ends one.
    bookmark_seconds: float = 60.0
    watch_seconds: float = 1800.0
    # Whether requests for a resource still find it: definitions come and go.
    is_served: Callable[[Resource], bool] = lambda _: True

    def now(self) -> str:
        return timestamp(self.clock.now())

    def new_uid(self) -> str:
        return uid_from(self.random)


class Context:
    """One request about one resource. *warnings* gather what the answer's Warning headers will say."""

    __slots__ = ("deadline", "info", "query", "request", "resource", "services", "user", "warnings")

    def __init__(
        self,
        services: Services,
        resource: Resource,
        info: RequestInfo,
        query: Query,
        *,
        request: ServerRequest,
        user: UserInfo,
    ) -> None:
        self.services = services
        self.resource = resource
        self.info = info
        self.query = query
        self.request = request
        self.user = user
        # A watch has another limit.
        timeout = query.get("timeout") if info.verb != "watch" else ""
        self.deadline = Deadline(services.clock, seconds_allowed(timeout))
        self.warnings: list[str] = []

    @property
    def headers(self) -> Mapping[str, str]:
        return self.request.headers

    @property
    def namespace(self) -> str:
        return self.info.namespace if self.resource.is_namespaced else ""

    @property
    def key(self) -> Key:
        """Where the object is; BadRequest for a name that no object can have."""
        name = self.info.name
        if name in _NEVER_NAMES or "%" in name:
            why = f"may not be '{name}'" if name in _NEVER_NAMES else "may not contain '%'"
            raise bad_request(f'Name parameter invalid: "{name}": {why}')
        return Key(self.namespace, name)

    @property
    def table(self) -> Table:
        return self.services.storage.table(self.resource.storage)

    @property
    def manager(self) -> Manager:
        name = self.query.get("fieldManager") or self.headers.get("user-agent", "").split("/")[0][:128]
        return Manager(name or "unknown", self.resource.api_version, self.info.subresource)


def timestamp(moment: datetime) -> str:
    """Of a moment in UTC."""
    return f"{moment.isoformat(timespec='seconds')[:19]}Z"


def uid_from(random: Random) -> str:
    """A random UUID of version 4, from the seam instead of the machine."""
    bits = random.getrandbits(128)
    bits = bits & ~(0xF << 76) | (4 << 76)
    bits = bits & ~(0x3 << 62) | (2 << 62)
    text = f"{bits:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
