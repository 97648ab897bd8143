"""Field names that a JSON body gives twice: decoders take the last one, strict field validation tells."""

import json
from typing import Any

from framework.apiserver.status import bad_request

# As the real server: so many are told at most.
_MOST = 100


class _Pairs(list[tuple[str, Any]]):
    """An object with all that stood in it."""


class _Twice(Exception):
    """Some field stands twice."""


def duplicate_fields(body: bytes) -> list[str]:
    """The paths of fields that stand twice in *body*, e.g. `spec.items[0].name`; *body* is valid JSON."""
    text = body.decode(errors="replace")
    try:
        _load(text, _WATCHING)
    except _Twice:
        found: dict[str, None] = {}
        _collect(_load(text, _KEEPING), "", found)
        return list(found)[:_MOST]
    return []


def _watch(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) != len(pairs):
        raise _Twice


_WATCHING = json.JSONDecoder(object_pairs_hook=_watch)
_KEEPING = json.JSONDecoder(object_pairs_hook=_Pairs)


def _load(text: str, decoder: json.JSONDecoder) -> Any:
    try:
        return decoder.decode(text)
    except (ValueError, RecursionError):
        raise bad_request("invalid JSON") from None


def _collect(value: Any, path: str, found: dict[str, None]) -> None:
    if isinstance(value, _Pairs):
        names = set()
        for name, member in value:
            inner = f"{path}.{name}" if path else name
            if name in names:
                found[inner] = None
            names.add(name)
            _collect(member, inner, found)
    elif isinstance(value, list):
        for index, member in enumerate(value):
            _collect(member, f"{path}[{index}]", found)
