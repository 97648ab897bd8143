"""How much of a Cluster its Instances have reserved."""

from collections.abc import Iterable

from apis.laf.instance import Instance
from apis.meta import IntOrString
from apis.meta.quantity import parse_quantity, spelled
from framework.store import Change


def used_by(instances: Iterable[Instance]) -> dict[str, str]:
    reserved = [each.status.reserved for each in instances if each.status.reserved is not None]
    return {
        "cpu": spelled(sum(_nanos(each.cpu) for each in reserved)),
        "memory": spelled(sum(_nanos(each.memory) for each in reserved), "Ki"),
    }


def changes_usage(change: Change[Instance]) -> bool:
    """Whether it matters to the Cluster of an Instance, old or new."""
    old, new = change.old, change.new
    if old is None or new is None:
        return True
    return (old.status.cluster_uid, old.status.reserved) != (new.status.cluster_uid, new.status.reserved)


def _nanos(quantity: IntOrString | None) -> int:
    """Nothing, for what is none: a status can be edited by hand."""
    try:
        return 0 if quantity is None else parse_quantity(str(quantity)).nanos
    except ValueError:
        return 0
