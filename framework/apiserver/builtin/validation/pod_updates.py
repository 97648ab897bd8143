"""What may change in a pod that is there already: next to nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors
from framework.apiserver.builtin.validation.tolerations import tolerations
from framework.apiserver.fields import forbidden_field, invalid_value, required
from framework.apiserver.objects import Object

_LONGEST_DEADLINE = 2**31 - 1
_UPDATABLE = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_CHECKED_APART = ("activeDeadlineSeconds", "tolerations", "schedulingGates")


def pod_update(new: Object, old: Object) -> Errors:
    """*new* and *old* are the specs."""
    for field in ("containers", "initContainers"):
        if len(new.get(field) or ()) != len(old.get(field) or ()):
            yield forbidden_field(f"spec.{field}", "pod updates may not add or remove containers")
            return
        yield from _images(f"spec.{field}", new.get(field) or ())
    deadline = [*_deadline(new.get("activeDeadlineSeconds"), old.get("activeDeadlineSeconds"))]
    yield from deadline
    yield from _only_added("spec.tolerations", new.get("tolerations", ()), old.get("tolerations", ()))
    yield from _only_removed(new.get("schedulingGates", ()), old.get("schedulingGates", ()))
    remaining, before = _fixed_part(new, old), _fixed_part(old, old)
    if remaining != before:
        yield forbidden_field("spec", f"{_UPDATABLE}\n{_difference(remaining, before)}")


def _images(path: str, containers: Sequence[Object]) -> Errors:
    for position, container in enumerate(containers):
        image = container.get("image", "")
        if not image:
            yield required(f"{path}[{position}].image")
        if image != image.strip():
            yield invalid_value(f"{path}[{position}].image", image, "must not have leading or trailing whitespace")


def _deadline(new: int | None, old: int | None) -> Errors:
    field = "spec.activeDeadlineSeconds"
    if new is None:
        if old is not None:
            yield invalid_value(field, None, "must not update from a positive integer to nil value")
    elif not 0 <= new <= _LONGEST_DEADLINE:
        yield invalid_value(field, new, names.out_of_range(0, _LONGEST_DEADLINE))
    elif old is not None and old < new:
        yield invalid_value(field, new, "must be less than or equal to previous value")


def _only_added(path: str, new: Sequence[Object], old: Sequence[Object]) -> Errors:
    remaining = [_without_seconds(one) for one in new]
    if any(_without_seconds(one) not in remaining for one in old):
        yield forbidden_field(path, "existing toleration can not be modified except its tolerationSeconds")
    else:
        yield from tolerations(path, new)


def _without_seconds(toleration: Object) -> Object:
    return {field: value for field, value in toleration.items() if field != "tolerationSeconds"}


def _only_removed(new: Sequence[Object], old: Sequence[Object]) -> Errors:
    known = {gate.get("name", "") for gate in old}
    for position, gate in enumerate(new):
        if (name := gate.get("name", "")) not in known:
            detail = f"only deletion is allowed, but found new scheduling gate '{name}'"
            yield forbidden_field(f"spec.schedulingGates[{position}].name", detail)


def _fixed_part(spec: Object, old: Object) -> Object:
    """What must stay the same, with the images of *old* and without what has rules of its own."""
    fixed = {field: value for field, value in spec.items() if field not in _CHECKED_APART}
    for field in ("containers", "initContainers"):
        if spec.get(field):
            pairs = zip(spec[field], old[field], strict=True)
            fixed[field] = [{**container, "image": before.get("image", "")} for container, before in pairs]
    if old.get("terminationGracePeriodSeconds", 0) < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        fixed["terminationGracePeriodSeconds"] = old["terminationGracePeriodSeconds"]
    if old.get("schedulingGates"):
        _allow_narrower_choice(fixed, old)
    return fixed


def _allow_narrower_choice(fixed: Object, old: Object) -> None:
    # A pod that is not yet to be scheduled may still be bound to fewer nodes.
    if old.get("nodeSelector", {}).items() <= fixed.get("nodeSelector", {}).items():
        fixed.pop("nodeSelector", None)
        if "nodeSelector" in old:
            fixed["nodeSelector"] = old["nodeSelector"]


def _difference(new: Mapping[str, Any], old: Mapping[str, Any]) -> str:
    lines: list[str] = []
    for field in sorted({*new, *old}):
        if new.get(field) != old.get(field):
            lines += (f"- {field}: {_spelled(old, field)}", f"+ {field}: {_spelled(new, field)}")
    return "\n".join(lines)


def _spelled(spec: Mapping[str, Any], field: str) -> str:
    return msgspec.json.encode(spec[field]).decode() if field in spec else "(absent)"
