"""The signatures of the authorizer's functions.

Only admission policies have a value to call them on. They are declared all the same, so that a rule that tries learns
that there is no `authorizer` and is not told that its functions do not exist.
"""

from typing import Any, NoReturn

from framework.apiserver.cel.declarations import Overload, member
from framework.apiserver.cel.errors import NoSuchOverload


def _without_authorizer(*_: Any) -> NoReturn:
    raise NoSuchOverload


_SIGNATURES = (
    "Authorizer.path(string) -> PathCheck",
    "PathCheck.check(string) -> Decision",
    "Authorizer.group(string) -> GroupCheck",
    "Authorizer.serviceAccount(string, string) -> Authorizer",
    "GroupCheck.resource(string) -> ResourceCheck",
    "ResourceCheck.subresource(string) -> ResourceCheck",
    "ResourceCheck.namespace(string) -> ResourceCheck",
    "ResourceCheck.name(string) -> ResourceCheck",
    "ResourceCheck.fieldSelector(string) -> ResourceCheck",
    "ResourceCheck.labelSelector(string) -> ResourceCheck",
    "ResourceCheck.check(string) -> Decision",
    "Decision.errored() -> bool",
    "Decision.error() -> string",
    "Decision.allowed() -> bool",
    "Decision.reason() -> string",
)

OVERLOADS: tuple[Overload, ...] = tuple(member(signature, _without_authorizer) for signature in _SIGNATURES)
