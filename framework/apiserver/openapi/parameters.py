"""The query parameters of requests, as the documents describe them."""

from collections.abc import Mapping, Sequence

import msgspec


class Parameter(msgspec.Struct, frozen=True):
    """*location* is `path` or `query`."""

    name: str
    description: str
    type: str = "string"
    location: str = "query"


_DRY_RUN = Parameter("dryRun", "All: everything is done but the storing.")
_FIELD_MANAGER = Parameter(
    "fieldManager", "Who makes the change, as managedFields will tell it; at most 128 printable characters."
)
_FIELD_VALIDATION = Parameter(
    "fieldValidation",
    "What happens to unknown and duplicate fields. Ignore: they are dropped. Warn (the default): they are dropped, "
    "with a Warning header. Strict: the request is refused.",
)
_FORCE = Parameter("force", "Take over fields that other managers own. Only for apply requests.", "boolean")
_RESOURCE_VERSION = Parameter("resourceVersion", "Which version of the data may be served.")
_NAMESPACE = Parameter("namespace", "object name and auth scope, such as for teams and projects", location="path")
PRETTY = Parameter("pretty", "If 'true', the answer is indented.")

_LIST = (
    Parameter("allowWatchBookmarks", "Whether a watch may send events of type BOOKMARK.", "boolean"),
    Parameter("continue", "Where the next page begins, as the page before told it."),
    Parameter("fieldSelector", "Restricts the answer to objects with these fields."),
    Parameter("labelSelector", "Restricts the answer to objects with these labels."),
    Parameter("limit", "How many objects one page may hold.", "integer"),
    _RESOURCE_VERSION,
    Parameter("resourceVersionMatch", "How resourceVersion is meant: Exact or NotOlderThan."),
    Parameter("sendInitialEvents", "Whether a watch begins with the objects that there are.", "boolean"),
    Parameter("timeoutSeconds", "How long the call may last.", "integer"),
    Parameter("watch", "Send changes as they come instead of a list.", "boolean"),
)
_DELETE = (
    _DRY_RUN,
    Parameter("gracePeriodSeconds", "How long the object may take to end; zero means at once.", "integer"),
    Parameter("orphanDependents", "Deprecated: use propagationPolicy.", "boolean"),
    Parameter("propagationPolicy", "What happens to dependents: Orphan, Background or Foreground."),
)
_WRITE = (_DRY_RUN, _FIELD_MANAGER, _FIELD_VALIDATION)
_NOT_FOR_COLLECTIONS = ("allowWatchBookmarks", "watch")

_OF_ACTIONS: Mapping[str, Sequence[Parameter]] = {
    "get": (_RESOURCE_VERSION,),
    "list": _LIST,
    "post": _WRITE,
    "put": _WRITE,
    "patch": (*_WRITE, _FORCE),
    "delete": _DELETE,
    "deletecollection": (
        *_DELETE,
        *(parameter for parameter in _LIST if parameter.name not in _NOT_FOR_COLLECTIONS),
    ),
}


def query_parameters(action: str) -> Sequence[Parameter]:
    """What a request with this `x-kubernetes-action` may ask for."""
    return sorted((*_OF_ACTIONS[action], PRETTY), key=lambda parameter: parameter.name)


def path_parameters(path: str, kind: str) -> Sequence[Parameter]:
    name = Parameter("name", f"name of the {kind}", location="path")
    return [parameter for parameter in (name, _NAMESPACE) if f"{{{parameter.name}}}" in path]
