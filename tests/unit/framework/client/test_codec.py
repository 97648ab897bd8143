import msgspec
import pytest

from apis.core.v1 import ConfigMap
from apis.meta import GroupVersionKind, KubeObject, ObjectMeta, ResourceType, Unstructured
from framework.client import Codecs
from framework.client.codec import decode_list, decode_status
from framework.errors import ServerError, TerminalError, TransportError, api_error

CONFIG_MAPS = ResourceType(GroupVersionKind("", "v1", "ConfigMap"), "configmaps")


def test_a_typed_object_is_encoded_with_its_kind_and_without_defaults() -> None:
    encoded = Codecs().of(ConfigMap).encode(ConfigMap(metadata=ObjectMeta(name="a"), data={"k": "v"}))

    assert msgspec.json.decode(encoded) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a"},
        "data": {"k": "v"},
    }


def test_an_untyped_object_keeps_every_field() -> None:
    raw = b'{"metadata":{"name":"a","odd":1},"data":{"k":"v"},"later":{"than":"us"}}'

    decoded: KubeObject = Codecs().of(CONFIG_MAPS).decode(raw)

    assert isinstance(decoded, Unstructured)
    assert decoded.metadata.name == "a"
    assert decoded.content == msgspec.json.decode(raw) | {"apiVersion": "v1", "kind": "ConfigMap"}


def test_a_codec_is_made_once_for_a_kind() -> None:
    codecs = Codecs()

    assert codecs.of(ConfigMap) is codecs.of(ConfigMap)
    assert codecs.of(CONFIG_MAPS) is codecs.of(ResourceType(GroupVersionKind("", "v1", "ConfigMap"), "configmaps"))


def test_an_answer_that_is_not_json_was_given_by_somebody_else() -> None:
    with pytest.raises(TransportError, match="configmaps"):
        Codecs().of(ConfigMap).decode_answer(b"<html>please log in</html>")


def test_an_object_that_does_not_fit_its_type_cannot_be_helped_by_a_retry() -> None:
    with pytest.raises(TerminalError, match=r"configmaps.*\$\.data"):
        Codecs().of(ConfigMap).decode_answer(b'{"metadata":{},"data":7}')


def test_a_list_that_is_not_json_was_given_by_somebody_else() -> None:
    with pytest.raises(TransportError, match="unreadable list"):
        decode_list(b"<html>")


def test_a_list_without_items_is_empty() -> None:
    assert decode_list(b'{"metadata":{"resourceVersion":"7"},"items":null}').items is None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "HTTP 502 with an empty body"),
        (b"<html>\n<h1>Bad\tGateway</h1>", "HTTP 502: <html> <h1>Bad Gateway</h1>"),
        (b"\xff\xfe", "HTTP 502: \ufffd\ufffd"),
        (b"[]", "HTTP 502: []"),
        (b"{}", "HTTP 502"),
        (b"x" * 5000, "HTTP 502: " + "x" * 200),
    ],
)
def test_what_a_proxy_says_becomes_one_line(body: bytes, message: str) -> None:
    error = api_error(decode_status(502, body))

    assert isinstance(error, ServerError)
    assert error.code == 502
    assert str(error) == message
