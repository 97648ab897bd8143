"""Volumes of pods, and claims for them in templates."""

from collections.abc import Callable, Mapping, Sequence

from apis.meta.quantity import parse_quantity
from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each
from framework.apiserver.builtin.validation.selectors import label_selector
from framework.apiserver.fields import FieldError, duplicate, forbidden_field, invalid_value, required, unsupported
from framework.apiserver.objects import Object

_LARGEST_MODE = 0o777
_MODE = "must be a number between 0 and 0777 (octal), both inclusive"
_HOST_PATH_TYPES = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_MODES = ("Block", "Filesystem")


def volumes(path: str, values: Sequence[Object], errors: list[FieldError]) -> set[str]:
    """The names of the valid ones, which containers may mount; what is wrong goes to *errors*."""
    valid: set[str] = set()
    for position, volume in enumerate(values):
        found = [*_volume(f"{path}[{position}]", volume, valid)]
        if not found:
            valid.add(volume["name"])
        errors += found
    return valid


def _volume(path: str, volume: Object, others: set[str]) -> Errors:
    given = [name for name in volume if name != "name"]
    if not given:
        yield required(path, "must specify a volume type")
    for position, source in enumerate(given):
        if position > 0:
            yield forbidden_field(f"{path}.{source}", "may not specify more than 1 volume type")
        elif source in _SOURCES:
            yield from _SOURCES[source](f"{path}.{source}", volume[source])
    name = volume.get("name", "")
    if not name:
        yield required(f"{path}.name")
    else:
        yield from each(f"{path}.name", name, names.dns_label(name))
    if name in others:
        yield duplicate(f"{path}.name", name)


def _empty_dir(path: str, source: Object) -> Errors:
    if parse_quantity(source.get("sizeLimit", "0")).nanos < 0:
        yield forbidden_field(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")


def _host_path(path: str, source: Object) -> Errors:
    target = source.get("path", "")
    if not target:
        yield required(f"{path}.path")
        return
    yield from no_steps_back(f"{path}.path", target)
    if source.get("type", "") not in _HOST_PATH_TYPES:
        yield unsupported(f"{path}.type", source["type"], _HOST_PATH_TYPES)


def _secret(path: str, source: Object) -> Errors:
    if not source.get("secretName"):
        yield required(f"{path}.secretName")
    yield from _files(path, source)


def _config_map(path: str, source: Object) -> Errors:
    if not source.get("name"):
        yield required(f"{path}.name")
    yield from _files(path, source)


def _files(path: str, source: Object) -> Errors:
    yield from _mode(f"{path}.defaultMode", source.get("defaultMode"))
    for position, item in enumerate(source.get("items", ())):
        here = f"{path}.items[{position}]"
        for field in ("key", "path"):
            if not item.get(field):
                yield required(f"{here}.{field}")
        yield from relative_path(f"{here}.path", item.get("path", ""))
        if item.get("path", "").startswith("..") and ".." not in item["path"].split("/"):
            yield invalid_value(f"{here}.path", item["path"], "must not start with '..'")
        yield from _mode(f"{here}.mode", item.get("mode"))


def _mode(field: str, mode: int | None) -> Errors:
    if mode is not None and not 0 <= mode <= _LARGEST_MODE:
        yield invalid_value(field, mode, _MODE)


def _claim_reference(path: str, source: Object) -> Errors:
    if not source.get("claimName"):
        yield required(f"{path}.claimName")


def _nfs(path: str, source: Object) -> Errors:
    for field in ("server", "path"):
        if not source.get(field):
            yield required(f"{path}.{field}")
    if not source.get("path", "").startswith("/"):
        yield invalid_value(f"{path}.path", source.get("path", ""), "must be an absolute path")


def _csi(path: str, source: Object) -> Errors:
    if not source.get("driver"):
        yield required(f"{path}.driver")


_SOURCES: Mapping[str, Callable[[str, Object], Errors]] = {
    "emptyDir": _empty_dir,
    "hostPath": _host_path,
    "secret": _secret,
    "configMap": _config_map,
    "persistentVolumeClaim": _claim_reference,
    "nfs": _nfs,
    "csi": _csi,
}


def relative_path(field: str, target: str) -> Errors:
    if target.startswith("/"):
        yield invalid_value(field, target, "must be a relative path")
    yield from no_steps_back(field, target)


def no_steps_back(field: str, target: str) -> Errors:
    if ".." in target.split("/"):
        yield invalid_value(field, target, "must not contain '..'")


def claim_spec(path: str, spec: Object) -> Errors:
    """The spec of a PersistentVolumeClaim."""
    modes = spec.get("accessModes", ())
    if not modes:
        yield required(f"{path}.accessModes", "at least 1 access mode is required")
    yield from label_selector(f"{path}.selector", spec.get("selector"))
    for mode in modes:
        if mode not in _ACCESS_MODES:
            yield unsupported(f"{path}.accessModes", mode, _ACCESS_MODES)
    if len(set(modes) & set(_ACCESS_MODES)) > 1 and "ReadWriteOncePod" in modes:
        yield forbidden_field(f"{path}.accessModes", "may not use ReadWriteOncePod with other access modes")
    amount = spec.get("resources", {}).get("requests", {}).get("storage")
    if amount is None:
        yield required(f"{path}.resources[storage]")
    elif parse_quantity(amount).nanos <= 0:
        yield invalid_value(f"{path}.resources[storage]", amount, "must be greater than zero")
    if name := spec.get("storageClassName"):
        yield from each(f"{path}.storageClassName", name, names.dns_subdomain(name))
    if spec.get("volumeMode", "Filesystem") not in _VOLUME_MODES:
        yield unsupported(f"{path}.volumeMode", spec["volumeMode"], _VOLUME_MODES)
