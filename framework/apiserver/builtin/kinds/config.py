"""ConfigMaps and Secrets."""

import base64
from collections.abc import Iterable, Mapping
from typing import ClassVar

import msgspec

from framework.apiserver.builtin.strategy import BuiltinStrategy, Selectable, text_at
from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each, immutable, unchanged_while_immutable
from framework.apiserver.fields import FieldError, FieldProblem, invalid_value, required
from framework.apiserver.objects import Object

_MAX_BYTES = 1024 * 1024
_REQUIRED_KEYS: Mapping[str, tuple[str, ...]] = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
_JSON_KEYS = {"kubernetes.io/dockercfg", "kubernetes.io/dockerconfigjson"}
_BASIC_AUTH_KEYS = ("username", "password")
_ACCOUNT = "kubernetes.io/service-account.name"


class ConfigMapStrategy(BuiltinStrategy):
    judges_update_first = True
    rechecks_metadata = True

    def problems(self, obj: Object) -> Errors:
        text, binary = obj.get("data", {}), obj.get("binaryData", {})
        for key in text:
            yield from each(f"data[{key}]", key, names.config_key(key))
            if key in binary:
                yield invalid_value(f"data[{key}]", key, "duplicate of key present in binaryData")
        for key in binary:
            yield from each(f"binaryData[{key}]", key, names.config_key(key))
        if sum(len(value.encode()) for value in text.values()) + _size(binary) > _MAX_BYTES:
            yield _too_large("")

    def update_problems(self, new: Object, old: Object) -> Errors:
        return unchanged_while_immutable(new, old, ("data", "binaryData"))


class SecretStrategy(BuiltinStrategy):
    judges_update_first = True
    rechecks_metadata = True
    selectable: ClassVar[Selectable] = {"type": text_at("type")}

    def problems(self, obj: Object) -> Errors:
        data = obj.get("data", {})
        for key in data:
            yield from each(f"data[{key}]", key, names.config_key(key))
        if _size(data) > _MAX_BYTES:
            yield _too_large("data")
        yield from _problems_of_type(obj, data)

    def update_problems(self, new: Object, old: Object) -> Iterable[FieldError]:
        return (
            *immutable("type", new.get("type"), old.get("type")),
            *unchanged_while_immutable(new, old, ("data",)),
        )


def _problems_of_type(secret: Object, data: Mapping[str, str]) -> Errors:
    kind = secret.get("type", "")
    if kind == "kubernetes.io/service-account-token":
        if not secret["metadata"].get("annotations", {}).get(_ACCOUNT):
            yield required(f"metadata.annotations[{_ACCOUNT}]")
    elif kind == "kubernetes.io/basic-auth":
        if not any(key in data for key in _BASIC_AUTH_KEYS):
            yield from (required(f"data[{key}]") for key in _BASIC_AUTH_KEYS)
    else:
        for key in _REQUIRED_KEYS.get(kind, ()):
            if key not in data:
                yield required(f"data[{key}]")
            elif kind in _JSON_KEYS:
                yield from _must_be_json(f"data[{key}]", data[key])


def _must_be_json(field: str, encoded: str) -> Errors:
    try:
        msgspec.json.decode(base64.b64decode(encoded), type=dict)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        yield invalid_value(field, "<secret contents redacted>", str(error))


def _size(encoded: Mapping[str, str]) -> int:
    return sum(len(value) * 3 // 4 - value.count("=", -2) for value in encoded.values())


def _too_large(field: str) -> FieldError:
    return FieldError(FieldProblem.TOO_LONG, field, detail=f"may not be more than {_MAX_BYTES} bytes")
