"""Which rights director and worker need."""

from apis.meta import GroupVersionKind, ResourceType, resource_type_of
from apis.requeststate.v1 import RequestState
from controllers.preflight import Right

_REQUEST_STATES = resource_type_of(RequestState)
_LEASES = ResourceType(GroupVersionKind("coordination.k8s.io", "v1", "Lease"), "leases")

WORKER_RIGHTS = (
    *(Right(verb, _REQUEST_STATES) for verb in ("get", "list", "watch", "patch")),
    Right("patch", _REQUEST_STATES, "status"),
)


def director_rights(*, creates: bool, elects: bool) -> tuple[Right, ...]:
    creator = (Right("create", _REQUEST_STATES),) if creates else ()
    elector = tuple(Right(verb, _LEASES) for verb in ("get", "create", "patch")) if elects else ()
    return (*WORKER_RIGHTS, *creator, *elector)
