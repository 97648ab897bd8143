"""What nobody could do is refused, with the path of the field."""

from typing import Any

import msgspec
import pytest

from controllers.peerpodconfig.judgement import judge
from controllers.peerpodconfig.reading import stored_config
from controllers.peerpodconfig.settings import SettingsReader
from controllers.peerpodconfig.validation import InvalidSpec, wishes_of
from tests.unit.controllers.peerpodconfig.made import a_spec


@pytest.mark.parametrize("limit", ["abc", "-1", "1.5", "0x10", "\uff11", "1234567890"])
def test_a_limit_that_is_no_decimal_number_is_refused(limit: str) -> None:
    spec = msgspec.structs.replace(a_spec(), limit=limit)

    with pytest.raises(InvalidSpec, match=r"^spec\.limit: "):
        wishes_of(spec)


@pytest.mark.parametrize(("limit", "worth"), [("", None), ("0", 0), ("007", 7), ("999999999", 999999999)])
def test_a_limit_is_decimal_and_may_be_nothing(limit: str, worth: int | None) -> None:
    assert wishes_of(a_spec(limit=limit)).limit == worth


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"nodeSelector": {"a": 1}}, "spec.nodeSelector['a']"),
        ({"nodeSelector": {"a": {"b": "c"}}}, "spec.nodeSelector['a']"),
        ({"nodeSelector": {"-a": "b"}}, "spec.nodeSelector['-a']"),
        ({"nodeSelector": {"UPPER.example/a": "b"}}, "spec.nodeSelector['UPPER.example/a']"),
        ({"nodeSelector": {"a": "b c"}}, "spec.nodeSelector['a']"),
        ({"nodeSelector": {"matchLabels": "x"}}, "spec.nodeSelector"),
        ({"labelSelector": {"matchLabels": {"a": "!"}}}, "spec.labelSelector.matchLabels['a']"),
        ({"labelSelector": {"matchExpressions": [{"key": "a", "operator": "Like"}]}}, "matchExpressions[0].operator"),
        ({"labelSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}, "matchExpressions[0].values"),
        (
            {"nodeSelector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}},
            "spec.nodeSelector.matchExpressions[0].values",
        ),
        ({"tolerations": [{"operator": "Maybe"}]}, "spec.tolerations[0].operator"),
        ({"tolerations": [{"value": "x"}]}, "spec.tolerations[0].operator"),
    ],
)
def test_a_selector_that_can_match_nothing_is_refused(spec: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidSpec) as refused:
        wishes_of(a_spec(**spec))

    assert path in str(refused.value)


def test_an_object_that_was_stored_before_the_schema_became_strict_is_invalid_and_stops_nobody() -> None:
    content = {
        "metadata": {"name": "old", "namespace": "operands", "uid": "1"},
        "spec": {"cloudSecretName": "s", "configMapName": "c", "limit": 20},
        "status": {"daemonSetName": "known"},
    }

    stored = stored_config(content)
    judged = judge(stored, NOTHING_READ)

    assert stored.config.status.daemon_set_name == "known"
    assert (judged.accepted.status, judged.accepted.reason) == ("False", "InvalidSpec")
    assert "$.spec.limit" in judged.accepted.message
    assert judged.claim.wishes is None


class _Unread:
    def get(self, key: Any) -> Any:
        raise AssertionError(key)

    def list(self) -> Any:
        raise AssertionError

    def as_sent(self, key: Any) -> Any:
        raise AssertionError(key)


NOTHING_READ = SettingsReader(_Unread(), _Unread(), namespace="operands", known=frozenset({"aws"}))
