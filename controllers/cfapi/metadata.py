"""The part `metadata` of an upload, and the bindings in it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from controllers.cfapi import failure

METADATA_PART = "metadata"
_MAX_METADATA_BYTES = 1024 * 1024
# Of the script and not of a version: kept with the script's settings, and echoed.
SCRIPT_SETTINGS = ("logpush", "tail_consumers", "observability", "tags")
# Without a meaning here, and no loss: what they choose between does not differ.
_MEANINGLESS = frozenset({"usage_model", "code_update_strategy", "keep_assets", "bindings_inherit"})
# A worker that needs these would not do what it should.
_REFUSED = ("migrations", "assets", "containers")
_LONGEST_MESSAGE, _LONGEST_TAG = 1000, 100
_ANNOTATIONS = {"workers/message": _LONGEST_MESSAGE, "workers/tag": _LONGEST_TAG}


class BindingInput(msgspec.Struct, frozen=True):
    """A binding as the client writes it; which fields count depends on the type."""

    name: str
    type: str
    text: str | None = None
    json: Any = None
    service: str | None = None
    entrypoint: str | None = None
    environment: str | None = None
    part: str | None = None
    old_name: str | None = None

    def __repr__(self) -> str:
        # The text may be a secret.
        return f"BindingInput({self.name!r}, {self.type!r})"


class Metadata(msgspec.Struct, frozen=True):
    main_module: str | None = None
    body_part: str | None = None
    bindings: list[BindingInput] | None = None
    compatibility_date: str | None = None
    compatibility_flags: list[str] | None = None
    # Types of bindings of the version before that stay.
    keep_bindings: list[str] | None = None
    annotations: dict[str, Any] | None = None


class ParsedMetadata(msgspec.Struct, frozen=True):
    known: Metadata
    settings: Mapping[str, Any]
    # What was given and has no effect.
    ignored: tuple[str, ...]


def parse_metadata(text: bytes) -> ParsedMetadata:
    """Raises what to answer if *text* is no metadata, or asks for what is not there."""
    if len(text) > _MAX_METADATA_BYTES:
        raise failure.too_large(f"the metadata has more than {_MAX_METADATA_BYTES} bytes")
    content = _decoded(text, dict[str, Any])
    for name in _REFUSED:
        if content.get(name):
            raise failure.unsupported(f"metadata {name!r}")
    # Again, with types: what is wrong is said with its place.
    known = _decoded(text, Metadata)
    if bool(known.main_module) == bool(known.body_part):
        raise failure.rejected("metadata needs either main_module or body_part")
    settings = {name: content[name] for name in SCRIPT_SETTINGS if content.get(name) is not None}
    understood = {*msgspec.structs.asdict(known), *SCRIPT_SETTINGS, *_MEANINGLESS, *_REFUSED}
    ignored = tuple(sorted(name for name, value in content.items() if name not in understood and value))
    return ParsedMetadata(known, settings, ignored)


def annotations_of(given: Mapping[str, Any] | None) -> dict[str, str]:
    """Message and tag, printable and of bounded length; nothing else of what was given."""
    texts = {name: _clean(str(value)) for name, value in (given or {}).items() if name in _ANNOTATIONS and value}
    for name, text in texts.items():
        if len(text) > _ANNOTATIONS[name]:
            raise failure.rejected(f"annotation {name} has more than {_ANNOTATIONS[name]} characters")
    return texts


def _clean(text: str) -> str:
    return "".join(char for char in text if char.isprintable())


def _decoded(text: bytes, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise failure.bad_json(f"metadata: {error}") from None
