"""The conditions in the status of a definition."""

from typing import Any

from framework.apiserver.objects import Object


def condition_of(crd: Object, condition_type: str) -> dict[str, Any] | None:
    conditions = (crd.get("status") or {}).get("conditions") or ()
    return next((one for one in conditions if one.get("type") == condition_type), None)


def is_true(crd: Object, condition_type: str) -> bool:
    condition = condition_of(crd, condition_type)
    return condition is not None and condition.get("status") == "True"


def set_condition(crd: Object, condition_type: str, status: str, reason: str, message: str, *, now: str) -> None:
    """The time of the transition moves only when the status does."""
    conditions = crd.setdefault("status", {}).get("conditions") or []
    crd["status"]["conditions"] = conditions
    known = condition_of(crd, condition_type)
    if known is None:
        known = {"type": condition_type}
        conditions.append(known)
    if known.get("status") != status:
        known["lastTransitionTime"] = now
    known.update(status=status, reason=reason, message=message)
