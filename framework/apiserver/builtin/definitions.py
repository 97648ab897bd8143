"""The schemas of the built-in kinds, as the real server's OpenAPI v3 has them."""

import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

_GZIP_FORMAT = 31
DATA = Path(__file__).parent / "data"

Schema = Mapping[str, Any]


@cache
def definitions() -> Mapping[str, Schema]:
    """Every schema by its name, e.g. `io.k8s.api.apps.v1.Deployment`, without descriptions. Read-only, shared."""
    return msgspec.json.decode((DATA / "definitions.json").read_bytes(), type=dict[str, dict[str, Any]])


@cache
def descriptions() -> Mapping[str, Mapping[str, str]]:
    """The texts of a schema by its name: of each property, and under "" of the type itself."""
    packed = (DATA / "descriptions.json.gz").read_bytes()
    return msgspec.json.decode(zlib.decompress(packed, _GZIP_FORMAT), type=dict[str, dict[str, str]])


def described(name: str) -> Schema:
    """The schema *name* with its descriptions, as OpenAPI documents show it."""
    texts = descriptions()[name]
    schema = dict(definitions()[name])
    if properties := schema.get("properties"):
        schema["properties"] = {
            field: {"description": texts[field], **one} if field in texts else one for field, one in properties.items()
        }
    return {"description": texts[""], **schema} if "" in texts else schema
