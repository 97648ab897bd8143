"""Schemas for managed fields by their content, as in `structural_schemas`."""

from functools import lru_cache
from typing import Any

import msgspec

from framework.apiserver.managedfields import Node, schema_from_json

_KEPT = 256


def field_schema(json_schema: Any) -> Node:
    return _compiled(msgspec.json.encode(json_schema))


@lru_cache(_KEPT)
def _compiled(raw: bytes) -> Node:
    return schema_from_json(msgspec.json.decode(raw))
