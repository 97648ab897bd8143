"""The merge patch that leads from one JSON object to another."""

from collections.abc import Mapping
from typing import Any


def patch_between(present: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The merge patch that makes the named fields of *present* what *wanted* says, and leaves all others alone."""
    patch: dict[str, Any] = {}
    for name, value in wanted.items():
        # What has its default is left out by the encoder: absent, and an empty value, are the same.
        before, after = present.get(name) or None, value or None
        if before == after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            # In a map that is there already, what is not named would stay.
            after = patch_between(before, {**dict.fromkeys(before), **after})
            if not after:
                continue
        patch[name] = after
    return patch
