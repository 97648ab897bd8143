"""Turns the body of a request into values, and a patch into the object that it asks for.

Guarantees:
- Neither the live object nor the patch is changed, and the outcome shares nothing with them: the caller may change it
  in place, and may apply the same patch again to a newer object.
- Errors are the `Status` that the real server answers, with its code, reason and message.
- Bodies of any content are decoded in bounded depth and memory; numbers are those that Go would keep.

Not guaranteed:
- The outcome fits no schema yet: unknown fields, wrong types and nulls that a patch puts into lists or replaced objects
  are left to the strategy of the kind.
"""

from framework.apiserver.patch.duplicate_fields import duplicate_fields
from framework.apiserver.patch.json_body import (
    MAXIMUM_DEPTH,
    MAXIMUM_VALUES,
    decode_json,
    is_too_deep,
    too_many_values,
)
from framework.apiserver.patch.json_patch import json_patch, unknown_members
from framework.apiserver.patch.merge import merge_patch
from framework.apiserver.patch.strategic import StrategicMerger
from framework.apiserver.patch.yaml_or_json import decode_apply_patch, decode_yaml_or_json, duplicate_yaml_keys

__all__ = [
    "MAXIMUM_DEPTH",
    "MAXIMUM_VALUES",
    "StrategicMerger",
    "decode_apply_patch",
    "decode_json",
    "decode_yaml_or_json",
    "duplicate_fields",
    "duplicate_yaml_keys",
    "is_too_deep",
    "json_patch",
    "merge_patch",
    "too_many_values",
    "unknown_members",
]
