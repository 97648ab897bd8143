"""The modules that the sources of a row lead to, from the storage."""

from collections.abc import Iterator, Sequence

import msgspec

from controllers.scriptstorage.errors import ObjectTooLarge
from controllers.scriptstorage.objects import ScriptObjects
from controllers.scriptstorage.script import (
    MOST_SCRIPT_BYTES,
    BrokenScript,
    ScriptManifest,
    ScriptModule,
    read_script,
)
from controllers.scriptstorage.settings import StorageSettings
from controllers.scriptstorage.url import InvalidScriptUrl, ScriptUrl, parse_script_url
from controllers.workerbuild.bad_input import ScriptError
from controllers.workerbuild.modules import type_of

MOST_MODULES = 10_000


class FetchedScript(msgspec.Struct, frozen=True):
    modules: tuple[ScriptModule, ...]
    manifest: ScriptManifest | None


def fetch_script(sources: Sequence[str], objects: ScriptObjects, settings: StorageSettings) -> FetchedScript:
    """Raise ScriptError if the script is at fault, StorageError if the storage is."""
    modules: list[ScriptModule] = []
    manifests: list[ScriptManifest] = []
    for source in sources:
        url = _readable(source, settings)
        try:
            fetched = _fetch(url, objects)
        except BrokenScript as error:
            raise ScriptError("ScriptBroken", str(error)) from None
        except ObjectTooLarge as error:
            raise ScriptError("ScriptTooLarge", str(error)) from None
        modules += fetched.modules
        manifests += [fetched.manifest] if fetched.manifest else []
        _check_size(modules)
    if len(manifests) > 1:
        raise ScriptError("AmbiguousMainModule", f"{len(manifests)} sources each say which module is the main one")
    return FetchedScript(tuple(modules), manifests[0] if manifests else None)


def _readable(source: str, settings: StorageSettings) -> ScriptUrl:
    try:
        url = parse_script_url(source, settings.bucket)
    except InvalidScriptUrl as error:
        raise ScriptError("InvalidScriptUrl", str(error)) from None
    if not settings.may_read(url.bucket):
        raise ScriptError("InvalidScriptUrl", f"bucket {url.bucket!r} is not one that scripts may come from")
    return url


def _fetch(url: ScriptUrl, objects: ScriptObjects) -> FetchedScript:
    content = objects.get(url.key, bucket=url.bucket, most_bytes=MOST_SCRIPT_BYTES)
    if content is not None:
        name = url.key.rpartition("/")[2]
        return FetchedScript((ScriptModule(name, type_of(name), content),), None)
    script = read_script(objects, url.prefix, bucket=url.bucket)
    if script is not None:
        return FetchedScript(script.modules, script.manifest)
    modules = tuple(_fetch_folder(url, objects))
    if not modules:
        raise ScriptError("ScriptNotFound", f"there is nothing at {url}")
    return FetchedScript(modules, None)


def _fetch_folder(url: ScriptUrl, objects: ScriptObjects) -> Iterator[ScriptModule]:
    size = 0
    for stored in objects.list(url.prefix, bucket=url.bucket):
        name = stored.key.removeprefix(url.prefix)
        # Consoles leave an empty object behind for each folder that somebody made.
        if not name or (name.endswith("/") and not stored.size):
            continue
        kind = type_of(name)
        size += stored.size
        if size > MOST_SCRIPT_BYTES:
            raise ScriptError("ScriptTooLarge", f"{url} has more than {MOST_SCRIPT_BYTES} bytes")
        content = objects.get(stored.key, bucket=url.bucket, most_bytes=MOST_SCRIPT_BYTES)
        # One that went since it was listed is as good as one that was never there.
        if content is not None:
            yield ScriptModule(name, kind, content)


def _check_size(modules: Sequence[ScriptModule]) -> None:
    if len(modules) > MOST_MODULES:
        raise ScriptError("ScriptTooLarge", f"there are more than {MOST_MODULES} modules")
    if sum(len(module.content) for module in modules) > MOST_SCRIPT_BYTES:
        raise ScriptError("ScriptTooLarge", f"the modules have more than {MOST_SCRIPT_BYTES} bytes")
