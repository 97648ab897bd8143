"""All functions that an expression may call: CEL's own and those of Kubernetes 1.36's base environment.

Guarantees: each module is one library of the real server and holds `OVERLOADS`, its signatures with what they do.

Not guaranteed: macros and operators, which the planner knows; a value of the `authorizer`'s types.
"""

from framework.apiserver.cel.declarations import Overload, by_name
from framework.apiserver.cel.library import (
    authorization,
    formats,
    lists,
    networks,
    optionals,
    quantities,
    regexes,
    semvers,
    sets,
    standard,
    strings,
    times,
    urls,
)

_LIBRARIES = (
    standard,
    times,
    strings,
    lists,
    sets,
    regexes,
    urls,
    quantities,
    networks,
    formats,
    semvers,
    optionals,
    authorization,
)

FUNCTIONS: dict[str, list[Overload]] = by_name(overload for library in _LIBRARIES for overload in library.OVERLOADS)
