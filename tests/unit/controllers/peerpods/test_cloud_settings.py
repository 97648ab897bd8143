"""Two objects that say together how a cloud is reached."""

import pytest

from apis.core.v1 import ConfigMap, Secret
from apis.meta import ObjectMeta
from controllers.peerpods.cloud_settings import UnusableSettings, merged_settings


def config_map(**data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name="public"), data=data)


def secret(**data: bytes) -> Secret:
    return Secret(metadata=ObjectMeta(name="private"), data=data)


def test_where_both_say_something_the_config_map_counts_and_the_keys_are_told() -> None:
    merged = merged_settings(config_map(REGION="east", KEY="public"), secret(KEY=b"private", TOKEN=b"t"))

    assert merged.values == {"REGION": "east", "KEY": "public", "TOKEN": "t"}
    assert tuple(merged.overlap) == ("KEY",)


def test_what_both_say_alike_is_no_overlap() -> None:
    assert tuple(merged_settings(config_map(REGION="east"), secret(REGION=b"east")).overlap) == ()


@pytest.mark.parametrize(
    ("public", "private", "values"),
    [(config_map(REGION="east"), None, {"REGION": "east"}), (None, secret(KEY=b"k"), {"KEY": "k"})],
)
def test_either_will_do(public: ConfigMap | None, private: Secret | None, values: dict[str, str]) -> None:
    assert merged_settings(public, private).values == values


def test_a_secret_that_is_no_text_is_named_and_not_quoted() -> None:
    with pytest.raises(UnusableSettings, match="KEY") as refused:
        merged_settings(None, secret(KEY=b"\xff\xfecanary"))

    assert refused.value.reason == "InvalidSettings"
    assert "canary" not in str(refused.value)
