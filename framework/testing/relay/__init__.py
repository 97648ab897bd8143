"""A relay in front of an API server that makes faults on the wire.

Guarantees: without a fault every byte of a body passes as soon as it arrives
and unchanged (only chunk boundaries may move); each client connection has one
upstream connection, kept alive and ended as long as the other is; after
`freeze` returns nothing passes, after `cut` returns every connection is reset;
after `close` no thread and no socket is left. Memory is bounded: the oldest
requests leave the record when it holds more than 64 MiB.
Not guaranteed: HTTP/2, upgrades (exec, attach, port-forward), trailers. Go
clients send a token only over TLS: give the relay a certificate for them.
"""

from framework.testing.relay.answers import (
    error_event,
    expired,
    status_body,
    too_large_resource_version,
    too_many_requests,
)
from framework.testing.relay.errors import RelayError, Severed
from framework.testing.relay.fault import (
    Action,
    CutAfter,
    DropEvent,
    DuplicateEvent,
    EndCleanly,
    Fault,
    InjectEvent,
    Match,
    ResetBefore,
    Respond,
    RespondAfterApply,
    RewriteQuery,
    Stall,
    Trickle,
)
from framework.testing.relay.interceptor import Interceptor
from framework.testing.relay.plan import Injection
from framework.testing.relay.relay import Relay
from framework.testing.relay.request import SeenRequest
from framework.testing.relay.steps import Part, Pause, Sever, Step

__all__ = [
    "Action",
    "CutAfter",
    "DropEvent",
    "DuplicateEvent",
    "EndCleanly",
    "Fault",
    "InjectEvent",
    "Injection",
    "Interceptor",
    "Match",
    "Part",
    "Pause",
    "Relay",
    "RelayError",
    "ResetBefore",
    "Respond",
    "RespondAfterApply",
    "RewriteQuery",
    "SeenRequest",
    "Sever",
    "Severed",
    "Stall",
    "Step",
    "Trickle",
    "error_event",
    "expired",
    "status_body",
    "too_large_resource_version",
    "too_many_requests",
]
