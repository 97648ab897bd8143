"""One upload of a script: its modules, and `_worker.json`, which is written last and says that they are all there."""

import hashlib
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from apis.meta import ApiStruct
from controllers.scriptstorage.objects import ScriptObjects
from framework.errors import WindlassError

MANIFEST_NAME = "_worker.json"
MANIFEST_VERSION = 1
# Of all modules of a script.
MOST_SCRIPT_BYTES = 64 * 1024 * 1024
_FILES = "files"
_MOST_MANIFEST_BYTES = 4 * 1024 * 1024


class ModuleType(StrEnum):
    """What workerd makes of a module; a source map is kept, and not given to workerd."""

    ES_MODULE = "esModule"
    COMMON_JS = "commonJsModule"
    WASM = "wasm"
    TEXT = "text"
    DATA = "data"
    JSON = "json"
    SOURCE_MAP = "sourceMap"


class ScriptModule(msgspec.Struct, frozen=True):
    name: str
    type: ModuleType
    content: bytes


class StoredModule(ApiStruct, frozen=True, kw_only=True):
    """A module in the manifest; *file* is a number below `files/`, since names are not to be trusted as paths."""

    name: str
    type: ModuleType
    file: str
    size: Annotated[int, Meta(ge=0)]
    sha256: str


class StoredBinding(ApiStruct, frozen=True, kw_only=True):
    """As in the metadata of an upload; never the value of a secret. *part* is the module of a blob."""

    name: str
    type: str
    text: str = ""
    json: Any = None
    service: str = ""
    entrypoint: str = ""
    part: str = ""


class ScriptManifest(ApiStruct, frozen=True, kw_only=True):
    """`_worker.json`. Exactly one of *main_module* and, for a service worker, *body_part* is set."""

    v: int
    main_module: str = ""
    body_part: str = ""
    modules: Sequence[StoredModule] = ()
    compatibility_date: str = ""
    compatibility_flags: Sequence[str] = ()
    bindings: Sequence[StoredBinding] = ()


class StoredScript(msgspec.Struct, frozen=True):
    manifest: ScriptManifest
    # In the order of the manifest.
    modules: tuple[ScriptModule, ...]


class BrokenScript(WindlassError):
    """What is stored is not what its manifest says; the text says where."""


def put_script(
    objects: ScriptObjects, prefix: str, modules: Sequence[ScriptModule], manifest: ScriptManifest
) -> ScriptManifest:
    """Store *modules* below *prefix*, which ends with `/`, and then *manifest* with them in it."""
    stored = []
    for number, module in enumerate(modules):
        file = f"{_FILES}/{number}"
        objects.put(f"{prefix}{file}", module.content)
        stored.append(
            StoredModule(
                name=module.name,
                type=module.type,
                file=file,
                size=len(module.content),
                sha256=hashlib.sha256(module.content).hexdigest(),
            )
        )
    complete = msgspec.structs.replace(manifest, modules=stored)
    text = msgspec.json.encode(complete, order="deterministic")
    objects.put(f"{prefix}{MANIFEST_NAME}", text, content_type="application/json")
    return complete


def read_manifest(objects: ScriptObjects, prefix: str, *, bucket: str = "") -> ScriptManifest | None:
    """None if there is none: an upload that was not finished, or a folder that somebody filled by hand."""
    text = objects.get(f"{prefix}{MANIFEST_NAME}", bucket=bucket, most_bytes=_MOST_MANIFEST_BYTES)
    if text is None:
        return None
    try:
        manifest = msgspec.json.decode(text, type=ScriptManifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BrokenScript(f"{prefix}{MANIFEST_NAME}: {error}") from None
    if manifest.v != MANIFEST_VERSION:
        raise BrokenScript(f"{prefix}{MANIFEST_NAME} has version {manifest.v}, but {MANIFEST_VERSION} is known")
    return manifest


def read_script(objects: ScriptObjects, prefix: str, *, bucket: str = "") -> StoredScript | None:
    """The script below *prefix*, each module checked against its hash; None without a manifest."""
    manifest = read_manifest(objects, prefix, bucket=bucket)
    if manifest is None:
        return None
    # Before anything is read: memory has its limits.
    if sum(stored.size for stored in manifest.modules) > MOST_SCRIPT_BYTES:
        raise BrokenScript(f"{prefix}{MANIFEST_NAME} has modules of more than {MOST_SCRIPT_BYTES} bytes")
    modules = tuple(_read_module(objects, prefix, bucket, stored) for stored in manifest.modules)
    return StoredScript(manifest, modules)


def _read_module(objects: ScriptObjects, prefix: str, bucket: str, stored: StoredModule) -> ScriptModule:
    folder, _, number = stored.file.partition("/")
    if folder != _FILES or not (number.isascii() and number.isdigit()):
        raise BrokenScript(f"{prefix}{MANIFEST_NAME}: module {stored.name!r} is in {stored.file!r}, not in {_FILES}/N")
    content = objects.get(f"{prefix}{stored.file}", bucket=bucket, most_bytes=stored.size)
    if content is None:
        raise BrokenScript(f"{prefix}{stored.file}: module {stored.name!r} is not there")
    if hashlib.sha256(content).hexdigest() != stored.sha256:
        raise BrokenScript(f"{prefix}{stored.file}: module {stored.name!r} is not what was uploaded")
    return ScriptModule(stored.name, stored.type, content)
