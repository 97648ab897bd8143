"""Roles, and who has them."""

from collections.abc import Sequence
from typing import Any

from framework.apiserver.objects import Object
from framework.apiserver.resource import Column
from framework.apiserver.tables.durations import age
from framework.apiserver.tables.printer import AGE, NAME, FunctionTable, wide
from framework.apiserver.tables.reading import created, name_of, objects_at, text_at


def _binding(obj: Object, now: float) -> Sequence[Any]:
    role = f"{text_at(obj, 'roleRef', 'kind')}/{text_at(obj, 'roleRef', 'name')}"
    subjects = objects_at(obj, "subjects")
    accounts = (
        f"{text_at(one, 'namespace')}/{text_at(one, 'name')}" for one in subjects if one.get("kind") == "ServiceAccount"
    )
    return (
        name_of(obj),
        role,
        age(created(obj), now),
        _names(subjects, "User"),
        _names(subjects, "Group"),
        ", ".join(accounts),
    )


def _names(subjects: Sequence[Object], kind: str) -> str:
    return ", ".join(text_at(one, "name") for one in subjects if one.get("kind") == kind)


BINDINGS = FunctionTable(
    (
        NAME,
        Column("Role", description="Role that is granted."),
        AGE,
        wide("Users", "Users who have the role."),
        wide("Groups", "Groups that have the role."),
        wide("ServiceAccounts", "Service accounts that have the role."),
    ),
    _binding,
)
