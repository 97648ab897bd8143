"""Annotations that anybody may have edited."""

from typing import Any

import pytest

from apis.cfworker.script import Binding, BindingType
from apis.cfworker.workerdeployment import ScriptTemplate, WorkerDeployment, WorkerDeploymentSpec
from apis.meta import ObjectMeta
from controllers.cfapi.history import Deployed, history_of, with_entry
from controllers.cfapi.settings import is_exposed, merged_settings, settings_of
from controllers.cfapi.version import bindings_result
from controllers.workers.keys import DEPLOYMENTS, SCRIPT_SETTINGS


def a_deployment(**annotations: str) -> WorkerDeployment:
    template = ScriptTemplate(script_name="hello", script_urls=["s3://a/b"])
    names = {"history": DEPLOYMENTS, "settings": SCRIPT_SETTINGS}
    given = {names[name]: text for name, text in annotations.items()}
    return WorkerDeployment(metadata=ObjectMeta(annotations=given), spec=WorkerDeploymentSpec(template=template))


@pytest.mark.parametrize("text", ["", "{", "{}", '[{"id": 7}]', "[null]"])
def test_history_that_cannot_be_read_is_empty(text: str) -> None:
    assert history_of(a_deployment(history=text)) == []


def test_history_keeps_the_newest_ten() -> None:
    text = "[]"
    for number in range(12):
        entry = Deployed(f"id-{number}", "v", "2024-01-01T00:00:00Z")
        text = with_entry(history_of(a_deployment(history=text)), entry)

    assert [entry.id for entry in history_of(a_deployment(history=text))] == [f"id-{n}" for n in range(11, 1, -1)]


@pytest.mark.parametrize("text", ["", "[]", "nonsense", '{"unknown": 1}'])
def test_settings_that_cannot_be_read_are_the_defaults(text: str) -> None:
    defaults: dict[str, Any] = {"logpush": False, "tail_consumers": None, "observability": None, "tags": []}

    assert settings_of(a_deployment(settings=text)) == defaults
    assert '"logpush":true' in merged_settings(a_deployment(settings=text), {"logpush": True})
    assert is_exposed(a_deployment(settings=text))


def test_binding_that_is_no_json_is_shown_without_a_value() -> None:
    broken = Binding(name="A", type=BindingType.JSON, json="{")

    assert bindings_result([broken], ["KEY"]) == [
        {"name": "A", "type": "json", "json": None},
        {"name": "KEY", "type": "secret_text"},
    ]
