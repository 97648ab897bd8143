"""Finalizers."""

from collections.abc import Sequence

from framework.apiserver.fields import FieldError, forbidden_field, invalid_value
from framework.apiserver.objectmeta.names import label_key_problems
from framework.apiserver.objects import Object
from framework.apiserver.spelling import spelled_string

_FIELD = "metadata.finalizers"
_ORPHAN, _FOREGROUND = "orphan", "foregroundDeletion"
_STANDARD = frozenset({_ORPHAN, _FOREGROUND, "kubernetes"})


def finalizer_errors(finalizers: Sequence[str]) -> Sequence[FieldError]:
    errors = [invalid_value(_FIELD, one, problem) for one in finalizers for problem in label_key_problems(one)]
    if _ORPHAN in finalizers and _FOREGROUND in finalizers:
        detail = f"finalizer {_ORPHAN} and {_FOREGROUND} cannot be both set"
        errors.append(invalid_value(_FIELD, list(finalizers), detail))
    return errors


def added_finalizer_errors(new: Sequence[str], old: Sequence[str]) -> Sequence[FieldError]:
    """Nobody may hold back an object any more that is being deleted."""
    added = sorted({*new} - {*old})
    if not added:
        return ()
    shown = ", ".join(spelled_string(one) for one in added)
    detail = f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{shown}}}"
    return [forbidden_field(_FIELD, detail)]


def unqualified_errors(finalizers: Sequence[str]) -> Sequence[FieldError]:
    detail = "name is neither a standard finalizer name nor is it fully qualified"
    return [
        invalid_value(f"{_FIELD}[{position}]", one, detail)
        for position, one in enumerate(finalizers)
        if _is_unqualified(one)
    ]


def finalizer_warnings(new: Object, old: Object | None) -> Sequence[str]:
    """What the real server says about finalizers of custom resources that others may use as well."""
    added = {*(new["metadata"].get("finalizers") or ())}
    if old is not None:
        added -= {*(old["metadata"].get("finalizers") or ())}
    warnings = []
    for one in sorted(added):
        warnings += [f"{_FIELD}: {spelled_string(one)}: {problem}" for problem in label_key_problems(one)]
        if _is_unqualified(one):
            path = " including a path (/)" if "." in one else ""
            advice = f"prefer a domain-qualified finalizer name{path} to avoid accidental conflicts"
            warnings.append(f"{_FIELD}: {spelled_string(one)}: {advice} with other finalizer writers")
    return warnings


def _is_unqualified(finalizer: str) -> bool:
    return "/" not in finalizer and finalizer not in _STANDARD
