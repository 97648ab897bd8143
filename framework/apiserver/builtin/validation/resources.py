"""Amounts of resources that containers ask for and nodes have."""

from collections.abc import Mapping

from apis.meta.quantity import parse_quantity
from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each
from framework.apiserver.fields import forbidden_field, invalid_value, required
from framework.apiserver.objects import Object

_HUGE_PAGES = "hugepages-"
_NATIVE_DOMAIN = "kubernetes.io/"
_COMPUTE = {"cpu", "memory"}
_OF_CONTAINERS = {"cpu", "memory", "ephemeral-storage"}
_COUNTED = {
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
}
_STANDARD = {*_OF_CONTAINERS, *_COUNTED, "storage", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"}
_NANO = 10**9


def requirements(path: str, wanted: Object) -> Errors:
    """The `resources` of a container."""
    limits, requests = wanted.get("limits", {}), wanted.get("requests", {})
    for name, amount in limits.items():
        yield from _container_resource(f"{path}.limits[{name}]", name)
        yield from quantity(f"{path}.limits[{name}]", name, amount)
    for name, amount in requests.items():
        yield from _container_resource(f"{path}.requests[{name}]", name)
        yield from quantity(f"{path}.requests[{name}]", name, amount)
        yield from _within_limit(path, name, amount, limits)
    asked = {*limits, *requests}
    if any(name.startswith(_HUGE_PAGES) for name in asked) and not asked & _COMPUTE:
        yield forbidden_field(path, "HugePages require cpu or memory")


def _within_limit(path: str, name: str, amount: str, limits: Mapping[str, str]) -> Errors:
    limit = limits.get(name)
    if limit is None:
        if not _may_be_overcommitted(name):
            yield required(f"{path}.limits", "Limit must be set for non overcommitable resources")
        return
    asked, allowed = parse_quantity(amount), parse_quantity(limit)
    if asked.nanos != allowed.nanos and not _may_be_overcommitted(name):
        yield invalid_value(f"{path}.requests", asked.spelling, f"must be equal to {name} limit of {allowed.spelling}")
    elif asked.nanos > allowed.nanos:
        detail = f"must be less than or equal to {name} limit of {allowed.spelling}"
        yield invalid_value(f"{path}.requests", asked.spelling, detail)


def quantity(field: str, name: str, amount: str) -> Errors:
    value = parse_quantity(amount)
    if value.nanos < 0:
        yield invalid_value(field, value.spelling, "must be greater than or equal to 0")
    if _is_whole(name) and value.nanos % _NANO:
        yield invalid_value(field, value.spelling, "must be an integer")


def resource_name(field: str, name: str) -> Errors:
    problems = names.qualified_name(name)
    if not problems and "/" not in name and not (name in _STANDARD or name.startswith(_HUGE_PAGES)):
        problems = ["must be a standard resource type or fully qualified"]
    return each(field, name, problems)


def _container_resource(field: str, name: str) -> Errors:
    yield from resource_name(field, name)
    if "/" not in name:
        if name not in _OF_CONTAINERS and not name.startswith(_HUGE_PAGES):
            yield invalid_value(field, name, "must be a standard resource for containers")
    elif not _is_native(name) and not _is_extended(name):
        yield invalid_value(field, name, "doesn't follow extended resource name standard")


def _is_native(name: str) -> bool:
    return "/" not in name or _NATIVE_DOMAIN in name


def _is_extended(name: str) -> bool:
    return not _is_native(name) and not name.startswith("requests.") and not names.qualified_name(f"requests.{name}")


def _may_be_overcommitted(name: str) -> bool:
    return _is_native(name) and not name.startswith(_HUGE_PAGES)


def _is_whole(name: str) -> bool:
    return name in _COUNTED or _is_extended(name)
