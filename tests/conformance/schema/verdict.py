"""What a server says about a write, as far as both must agree."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from framework.apiserver.fields import FieldError
from framework.apiserver.objects import Object
from framework.errors import ApiError
from tests.conformance.api import Reply

_REFUSED = 422


class Verdict(msgspec.Struct, frozen=True):
    """Causes are a set: the real server looks at the fields of an object in a random order."""

    code: int
    causes: frozenset[tuple[str, str, str]] = frozenset()
    message: str = ""
    spec: Any = None


def verdict_of(reply: Reply) -> Verdict:
    document = reply.document
    if reply.status == _REFUSED:
        causes = ((cause["reason"], cause["field"], cause["message"]) for cause in reply.causes)
        return Verdict(_REFUSED, frozenset(causes))
    if reply.status >= 400:
        return Verdict(reply.status, message=reply.message)
    return Verdict(reply.status, spec=document.get("spec"))


def our_verdict(obj: Object, judge: Callable[[Object], Sequence[FieldError]], *, code: int) -> Verdict:
    """What comes of *obj* when *judge* prunes, defaults and validates it; *code* if it is good."""
    try:
        errors = judge(obj)
    except ApiError as error:
        return Verdict(error.status.code, message=error.status.message)
    causes = (error.cause() for error in errors)
    if errors:
        return Verdict(_REFUSED, frozenset((cause.reason, cause.field, cause.message) for cause in causes))
    return Verdict(code, spec=obj.get("spec"))


def copied(obj: Any) -> Any:
    return json.loads(json.dumps(obj))
