"""Writing a status, if it says something new."""

from typing import Any

from framework.apiserver.controllers.kinds import BuiltinKind
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.objects import Object


def write_status(tools: ControllerTools, kind: BuiltinKind, obj: Object, status: dict[str, Any]) -> None:
    """Give *obj* the *status*; what is None or an empty list is left out of it."""
    wanted = {name: value for name, value in status.items() if value is not None and value != []}
    if _without_zeros(obj.get("status") or {}) != _without_zeros(wanted):
        tools.loopback.update(kind, {**obj, "status": wanted}, "status")


def _without_zeros(status: dict[str, Any]) -> dict[str, Any]:
    """The server leaves out most zeros, so that they must not make a difference."""
    return {name: value for name, value in status.items() if value != 0}
