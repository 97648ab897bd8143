"""A CustomResourceDefinition as YAML text."""

from typing import Any

import msgspec

HEADER = "# Generated"


def to_yaml(crd: dict[str, Any], *, source: str = "") -> str:
    """Block style, keys in the order of *crd*; *source* says in the header from what it was made."""
    # Only who writes files needs PyYAML: it is the extra `codegen`.
    import yaml

    # Passed through JSON, no two parts are the same object, so none is written as a reference to another.
    plain = msgspec.json.decode(msgspec.json.encode(crd))
    body = yaml.safe_dump(plain, sort_keys=False, default_flow_style=False, allow_unicode=True, width=120)
    made_from = f" from {source}" if source else ""
    return f"{HEADER}{made_from} by apis.schema; edit the types, not this file.\n---\n{body}"
