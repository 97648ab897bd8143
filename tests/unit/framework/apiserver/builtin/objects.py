"""Objects and strategies for the tests of the built-in kinds."""

from collections.abc import Iterable
from typing import Any

import msgspec

from framework.apiserver.builtin import builtin_resources
from framework.apiserver.builtin.kinds.strategies import builtin_strategy
from framework.apiserver.builtin.strategy import BuiltinStrategy
from framework.apiserver.objects import Object

UID = "7d3f0e66-0000-0000-0000-000000000000"


def strategy_of(kind: str, api_version: str = "", *, services: Iterable[Object] = ()) -> BuiltinStrategy:
    """The strategy of the first kind of that name."""
    found = (one for one in builtin_resources() if one.kind == kind and api_version in {"", one.api_version})
    return builtin_strategy(next(found), lambda: services)


def created(strategy: BuiltinStrategy, **fields: Any) -> Object:
    """What would be stored; nothing is validated."""
    metadata = {"name": "sample", "namespace": "default", "uid": UID, "resourceVersion": "1"}
    obj: Object = copied({**fields, "metadata": metadata | fields.get("metadata", {})})
    strategy.prune(obj)
    strategy.default(obj)
    strategy.prepare_for_create(obj)
    return obj


def updated(strategy: BuiltinStrategy, old: Object, subresource: str = "", **fields: Any) -> Object:
    new: Object = {**copied(old), **copied(fields)}
    strategy.prune(new)
    strategy.default(new)
    strategy.prepare_for_update(new, old, subresource)
    return new


def problems(strategy: BuiltinStrategy, obj: Object) -> list[str]:
    return [str(error) for error in strategy.validate(obj)]


def update_problems(strategy: BuiltinStrategy, new: Object, old: Object, subresource: str = "") -> list[str]:
    return [str(error) for error in strategy.validate_update(new, old, subresource)]


def a_pod_spec(**fields: Any) -> Object:
    return {"containers": [{"name": "main", "image": "nginx"}], **fields}


def a_workload_spec(**fields: Any) -> Object:
    template = {"metadata": {"labels": {"app": "x"}}, "spec": a_pod_spec()}
    return {"selector": {"matchLabels": {"app": "x"}}, "template": template, **fields}


def copied(obj: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(obj))
