import msgspec
import pytest

from apis.cfworker.script import Binding, BindingType
from controllers.cfapi.binding import Previous, resolve_bindings
from controllers.cfapi.failure import CfError
from controllers.cfapi.metadata import BindingInput
from controllers.cfapi.version_tag import VersionTag

TAG = VersionTag("id-1", "v1", "2024-01-01T00:00:00.000000Z")


def code_of(*given: BindingInput, previous: Previous | None = None) -> int:
    with pytest.raises(CfError) as caught:
        resolve_bindings(given, (), previous or Previous(), TAG)
    return caught.value.code


def test_version_tells_its_code_who_it_is_anew_each_time() -> None:
    before = Binding(name="V", type=BindingType.VERSION_METADATA, json='{"id":"old"}')

    resolved = resolve_bindings([BindingInput("V", "inherit")], (), Previous([before]), TAG)

    told = msgspec.json.decode(resolved.bindings[0].json)
    assert told == {"id": "id-1", "tag": "v1", "timestamp": "2024-01-01T00:00:00.000000Z"}


def test_binding_can_be_inherited_under_another_name() -> None:
    before = Binding(name="OLD", type=BindingType.PLAIN_TEXT, text="x")

    resolved = resolve_bindings([BindingInput("NEW", "inherit", old_name="OLD")], (), Previous([before]), TAG)

    assert resolved.bindings == [Binding(name="NEW", type=BindingType.PLAIN_TEXT, text="x")]


def test_secret_without_a_text_is_one_that_is_there() -> None:
    secret = BindingInput("KEY", "secret_text")

    assert resolve_bindings([secret], (), Previous((), ["KEY"]), TAG).secrets == {}
    assert code_of(secret) == 10057


@pytest.mark.parametrize(
    ("binding", "code"),
    [
        (BindingInput("", "plain_text", text="x"), 10021),
        (BindingInput("A" * 129, "plain_text", text="x"), 10021),
        (BindingInput("A", "json", json="x" * 40_000), 10021),
        (BindingInput("A", "service"), 10021),
        (BindingInput("A", "service", service="s", environment="staging"), 10400),
        (BindingInput("A", "wasm_module"), 10021),
        (BindingInput("A", "secret_text", text="a\0b"), 10053),
        (BindingInput("A", "r2_bucket"), 10400),
    ],
)
def test_binding_that_cannot_be_is_refused(binding: BindingInput, code: int) -> None:
    assert code_of(binding) == code


def test_no_text_of_a_secret_is_in_what_is_logged() -> None:
    given = BindingInput("KEY", "secret_text", text="s3cr3t")

    resolved = resolve_bindings([given], (), Previous(), TAG)

    assert resolved.secrets == {"KEY": "s3cr3t"}
    assert "s3cr3t" not in f"{given!r}{resolved!r}"
