"""At which paths a resource is served, and with which methods. Built-in and custom resources refuse differently."""

from framework.apiserver.builtin.resources import NOT_SERVED
from framework.apiserver.rest.context import Context
from framework.apiserver.status import bad_request, method_not_allowed, method_refused, not_found, not_implemented

_ON_COLLECTIONS, _ON_OBJECTS = frozenset({"GET", "POST", "DELETE"}), frozenset({"GET", "PUT", "PATCH", "DELETE"})
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"})


class NoSuchPath(Exception):
    """Nothing is served there."""


def check_place(context: Context) -> None:
    """Refuse a request to a path at which *context*'s resource is not, or with a method that it does not know there."""
    info, resource = context.info, context.resource
    if info.subresource and info.subresource not in resource.subresources:
        raise _no_subresource(context)
    is_within = bool(info.namespace) and (info.group, info.resource) != ("", "namespaces")
    if is_within != resource.is_namespaced:
        _check_scope(context)
    if resource.is_custom:
        _check_custom_method(context)
    elif not info.subresource:
        _check_method(context)


def refused_method(context: Context) -> Exception:
    """The answer to a verb that the resource or subresource does not have."""
    if not context.resource.is_custom:
        return method_refused()
    verb = context.info.verb if context.request.method in _METHODS else ""
    return method_not_allowed(context.resource.group_resource, verb)


def _no_subresource(context: Context) -> Exception:
    resource, info = context.resource, context.info
    if resource.is_custom:
        return not_found(resource.group_resource, info.name)
    if info.subresource in NOT_SERVED:
        return not_implemented(f"the subresource {info.subresource!r} of {resource.group_resource}")
    return NoSuchPath(info.path)


def _check_scope(context: Context) -> None:
    """A namespace where there is none, or none where there must be one: only lists may do without."""
    info, resource = context.info, context.resource
    if info.lacks_namespace and resource.is_namespaced:
        if info.name or info.verb == "deletecollection":
            raise bad_request("Namespace parameter required.")
        return
    if not resource.is_namespaced or info.name:
        raise NoSuchPath(info.path)
    if info.verb not in {"list", "watch", "deletecollection"}:
        raise NoSuchPath(info.path) if resource.is_custom else method_refused()


def _check_custom_method(context: Context) -> None:
    method = context.request.method
    if method not in _METHODS:
        raise refused_method(context)
    if method in {"PUT", "PATCH"} and not context.info.name:
        raise bad_request("name must be provided")


def _check_method(context: Context) -> None:
    info = context.info
    if info.name and context.resource.verbs == ("create",):
        raise NoSuchPath(info.path)
    if context.request.method not in (_ON_OBJECTS if info.name else _ON_COLLECTIONS):
        raise method_refused()
