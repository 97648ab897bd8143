"""Caches Secrets without their values: who they are and which keys they have, and nothing to steal."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn, TypeVar

import msgspec

from apis.meta import KubeObject, ResourceType, Unstructured
from framework.errors import ValueWithheld
from framework.store import LAST_APPLIED

T = TypeVar("T", bound=KubeObject)
_VALUES = ("data", "stringData")


def is_secret(resource_type: ResourceType) -> bool:
    return (resource_type.gvk.group, resource_type.plural) == ("", "secrets")


def without_values(content: dict[str, Any]) -> dict[str, Any]:
    """A transform that cannot fail: what it does not understand it drops."""
    metadata = content.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if isinstance(annotations, dict):
        annotations.pop(LAST_APPLIED, None)
    for name in _VALUES:
        values = content.pop(name, None)
        if isinstance(values, dict):
            content[name] = dict.fromkeys(values, "")
    return content


class WithheldValues(Mapping[str, bytes]):
    """Knows its keys; whoever asks for a value is told where to get it.

    No dict: a copy of the object that is written somewhere must fail, and not write empty values.
    """

    def __init__(self, secret: str, keys: tuple[str, ...]) -> None:
        self._secret = secret
        self._keys = keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __getitem__(self, key: str) -> NoReturn:
        if key not in self._keys:
            raise KeyError(key)
        raise self._error()

    def __eq__(self, other: object) -> bool:
        raise self._error()

    # What cannot be compared cannot be looked up either.
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"WithheldValues({list(self._keys)})"

    def _error(self) -> ValueWithheld:
        return ValueWithheld(
            f"the cache holds Secret {self._secret} without values; read this one with client.get, "
            "or give its informer InformerOptions(keeps_secret_values=True)"
        )


def withholding(decode: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """*decode* for objects that came through `without_values`."""

    def decode_without_values(raw: bytes) -> T:
        obj = decode(raw)
        if isinstance(obj, Unstructured):
            for name in _VALUES:
                if name in obj.content:
                    obj.content[name] = WithheldValues(str(obj.key), tuple(obj.content[name]))
        elif isinstance(values := getattr(obj, "data", None), dict):
            # Only here, and before anybody has seen the object.
            msgspec.structs.force_setattr(obj, "data", WithheldValues(str(obj.key), tuple(values)))
        return obj

    return decode_without_values
