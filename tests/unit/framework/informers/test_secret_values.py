"""Secrets are cached without their values, and nobody takes that for empty values."""

import base64
from typing import Any

import msgspec
import pytest

from apis.core.v1 import ConfigMap, Secret
from apis.meta import Key, KubeObject, ResourceType, resource_type_of
from framework.client import Codec, Codecs
from framework.errors import TerminalError, ValueWithheld
from framework.informers import InformerOptions
from framework.informers.reading import Reading
from framework.store import LAST_APPLIED

CANARY = "canary-7f3a"
ENCODED = base64.b64encode(CANARY.encode()).decode()
SECRETS = resource_type_of(Secret)
RAW = msgspec.json.encode(
    {
        "metadata": {
            "name": "db",
            "namespace": "n",
            "resourceVersion": "7",
            "annotations": {LAST_APPLIED: f'{{"stringData":{{"password":"{CANARY}"}}}}', "note": "x"},
        },
        "type": "Opaque",
        "data": {"password": ENCODED, "user": ENCODED},
        "stringData": {"token": CANARY},
    }
)


def reading(kind: type[KubeObject] | ResourceType = Secret, **options: Any) -> Reading[Any]:
    resource_type = kind if isinstance(kind, ResourceType) else resource_type_of(kind)
    codec: Codec[Any] = Codecs().of(kind)
    return Reading(resource_type, InformerOptions(**options), codec.decode)


def has_value(raw: bytes) -> bool:
    return CANARY.encode() in raw or ENCODED.encode() in raw


def test_no_value_is_kept_wherever_it_was_written() -> None:
    assert has_value(RAW)
    for options in ({}, {"metadata_only": True}, {"transform": lambda content: content}):
        here = reading(**options)
        assert not has_value(here.read(RAW).raw)
        assert not has_value(here.kept_of(RAW))
        assert not here.is_whole


def test_a_transform_of_the_user_is_never_given_a_value() -> None:
    seen: list[str] = []

    def transform(content: dict[str, Any]) -> dict[str, Any]:
        seen.append(str(content))
        raise KeyError

    raw = reading(transform=transform).read(RAW).raw

    assert not has_value(raw)
    assert not has_value(seen[0].encode())


def test_who_asks_for_them_gets_them() -> None:
    here = reading(keeps_secret_values=True)

    assert here.decode(here.read(RAW).raw).data["password"] == CANARY.encode()
    assert here.is_whole


def test_other_kinds_are_left_alone() -> None:
    here = reading(ConfigMap)

    assert here.is_whole
    assert here.read(RAW).raw == RAW


def test_the_keys_are_there_and_each_look_at_a_value_says_where_to_get_it() -> None:
    here = reading()
    secret = here.decode(here.read(RAW).raw)

    assert set(secret.data) == {"password", "user"}
    assert "password" in secret.data
    assert "other" not in secret.data
    assert secret.data.get("other") is None
    assert len(secret.data) == 2
    assert repr(secret) == "Secret(n/db, type='Opaque', data=['password', 'user'])"
    for look in (
        lambda: secret.data["password"],
        lambda: secret.data.get("password"),
        lambda: dict(secret.data),
        lambda: list(secret.data.values()),
        lambda: secret.data == {},
    ):
        with pytest.raises(ValueWithheld, match=r"Secret n/db without values; read this one with client\.get"):
            look()
    assert issubclass(ValueWithheld, TerminalError)


def test_an_untyped_secret_withholds_as_well() -> None:
    here = reading(SECRETS)
    secret = here.decode(here.read(RAW).raw)

    assert secret.key == Key("n", "db")
    assert list(secret.content["data"]) == ["password", "user"]
    with pytest.raises(ValueWithheld):
        secret.content["stringData"]["token"]


def test_a_cached_secret_cannot_be_written_back_with_empty_values() -> None:
    here = reading()
    secret = here.decode(here.read(RAW).raw)

    with pytest.raises(TypeError, match="WithheldValues"):
        Codecs().of(Secret).encode(secret)


@pytest.mark.parametrize("data", ["text", None, 5, ["x"]])
def test_what_is_no_map_is_dropped(data: object) -> None:
    raw = msgspec.json.encode({"metadata": {"name": "a", "resourceVersion": "1", "annotations": None}, "data": data})

    assert "data" not in msgspec.json.decode(reading().read(raw).raw)
