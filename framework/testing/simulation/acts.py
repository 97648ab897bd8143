"""What a user does, as data: a workload that was drawn and not written, and that a plan can hold."""

from typing import Any, Literal

import msgspec

Doing = Literal["create", "edit", "delete", "wait"]


class Act(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that the user does.

    - `create`: the object *body* at *path*, as soon as its name is free
    - `edit`: the merge patch *body*; what the server refuses stays as it was
    - `delete`: the object at *path*
    - `wait`: until all is quiet
    """

    do: Doing
    # Of the object, such as `/api/v1/namespaces/default/configmaps/one`.
    path: str = ""
    body: dict[str, Any] | None = None


WAIT = Act("wait")


def merged(value: Any, patch: Any) -> Any:
    """*value* after the merge patch *patch*."""
    if not isinstance(patch, dict):
        return patch
    old = value if isinstance(value, dict) else {}
    both = {**old, **{field: merged(old.get(field), inner) for field, inner in patch.items()}}
    return {field: inner for field, inner in both.items() if inner is not None}
