"""Which names a definition gets: each kind and each plural of a group belongs to whoever had it first."""

from collections.abc import Iterable, Mapping
from typing import Any

from framework.apiserver.definitions.conditions import is_true, set_condition
from framework.apiserver.objects import Object


def establish(crd: Object, others: Iterable[Object], now: str) -> None:
    """Set accepted names and the conditions NamesAccepted and Established on *crd*, given all definitions there are."""
    rivals = [
        (other.get("status") or {}).get("acceptedNames") or {}
        for other in others
        if other["spec"]["group"] == crd["spec"]["group"] and other["metadata"]["name"] != crd["metadata"]["name"]
    ]
    names = crd["spec"]["names"]
    status = crd.setdefault("status", {})
    before = status.get("acceptedNames") or {}
    accepted, problem = _accept(names, before, rivals)
    status["acceptedNames"] = accepted
    status.setdefault("storedVersions", [])
    if problem is None:
        set_condition(crd, "NamesAccepted", "True", "NoConflicts", "no conflicts found", now=now)
    else:
        reason, message = problem
        set_condition(crd, "NamesAccepted", "False", reason, message, now=now)
    if is_true(crd, "Established"):
        return
    if problem is None:
        text = "the initial names have been accepted"
        set_condition(crd, "Established", "True", "InitialNamesAccepted", text, now=now)
    else:
        set_condition(crd, "Established", "False", "NotAccepted", "not all names are accepted", now=now)


def _accept(
    names: Mapping[str, Any], before: Mapping[str, Any], rivals: list[Any]
) -> tuple[dict[str, Any], tuple[str, str] | None]:
    resources = {name for rival in rivals for name in _resource_names(rival)}
    kinds = {rival.get(field) for rival in rivals for field in ("kind", "listKind")} - {None, ""}
    accepted = {"plural": "", "kind": "", **before}
    problem: tuple[str, str] | None = None
    for field, taken, reason in (
        ("plural", resources, "PluralConflict"),
        ("singular", resources, "SingularConflict"),
        ("shortNames", resources, "ShortNamesConflict"),
        ("kind", kinds, "KindConflict"),
        ("listKind", kinds, "ListKindConflict"),
    ):
        wanted = names.get(field)
        clash = _clash(wanted, taken)
        if clash:
            problem = (reason, f'"{clash}" is already in use')
        elif wanted:
            accepted[field] = wanted
        else:
            accepted.pop(field, None)
    if names.get("categories"):
        accepted["categories"] = names["categories"]
    return accepted, problem


def _resource_names(names: Mapping[str, Any]) -> list[str]:
    return [names.get("plural") or "", names.get("singular") or "", *(names.get("shortNames") or ())]


def _clash(wanted: Any, taken: set[str]) -> str | None:
    candidates = wanted if isinstance(wanted, list) else [wanted]
    return next((name for name in candidates if name and name in taken), None)
