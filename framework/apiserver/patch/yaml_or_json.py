"""Bodies that may be YAML. Nearly all of them are JSON, so the parser of YAML is loaded by the first that is not."""

from typing import Any

from framework.apiserver.objects import Object
from framework.apiserver.patch.duplicate_fields import duplicate_fields
from framework.apiserver.patch.json_body import decode_json, not_a_map
from framework.apiserver.status import bad_request
from framework.errors import ApiError
from framework.loading import LOADING


def decode_yaml_or_json(body: bytes) -> Any:
    """The first document of *body*."""
    if _looks_like_json(body):
        try:
            return decode_json(body)
        except ApiError:
            # A flow mapping looks like an object until its first key.
            pass
    with LOADING:
        from framework.apiserver.patch.yaml_body import decode_yaml

    return decode_yaml(body)


def decode_apply_patch(body: bytes) -> Object:
    """The object that a server-side apply sends; an empty one if it sends nothing."""
    value = decode_yaml_or_json(body)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise bad_request(f"error decoding YAML: error unmarshaling JSON: while decoding JSON: {not_a_map(value)}")
    return value


def duplicate_yaml_keys(body: bytes) -> str:
    """What strict field validation says about keys that stand twice in *body*; "" if none does."""
    if _looks_like_json(body):
        try:
            if not duplicate_fields(body):
                return ""
        except ApiError:
            pass
    with LOADING:
        from framework.apiserver.patch.yaml_body import duplicate_keys

    return duplicate_keys(body)


def _looks_like_json(body: bytes) -> bool:
    return body.lstrip()[:1] == b"{"
