"""What director, worker and the creator of requests must be allowed to do, beside following RequestStates."""

from apis.core.v1 import Namespace
from apis.events.v1 import Event
from apis.meta import resource_type_of
from apis.requeststate.v1 import RequestState
from framework.rights import Right

_REQUEST_STATES = resource_type_of(RequestState)

_WRITES = (Right("patch", _REQUEST_STATES), Right("patch", _REQUEST_STATES, "status"))
# Without them the flow goes on, and only its events are missing.
_EVENTS = tuple(Right(verb, resource_type_of(Event), is_optional=True) for verb in ("create", "patch"))

# A worker that was overtaken looks at the server's own copy.
WORKER_RIGHTS = (Right("get", _REQUEST_STATES), *_WRITES, *_EVENTS)
# A director says when its namespace does not exist, if it may look.
DIRECTOR_RIGHTS = (*_WRITES, *_EVENTS, Right("get", resource_type_of(Namespace), is_optional=True))
# A name that is taken is looked at: it may be the same request of an earlier try.
CREATOR_RIGHTS = (Right("create", _REQUEST_STATES), Right("get", _REQUEST_STATES))
