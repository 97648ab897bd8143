"""Compiled schemas by their content: a definition whose status changes is not compiled again, nor on another server."""

from functools import lru_cache
from typing import Any

import msgspec

from framework.apiserver.schema import StructuralSchema

_KEPT = 256


def structural_schema(json_schema: Any, *, preserve_unknown: bool) -> StructuralSchema:
    return _compiled(msgspec.json.encode(json_schema), preserve_unknown)


@lru_cache(_KEPT)
def _compiled(raw: bytes, preserve_unknown: bool) -> StructuralSchema:  # noqa: FBT001 - a key
    return StructuralSchema(msgspec.json.decode(raw), preserve_unknown=preserve_unknown)
