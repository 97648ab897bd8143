"""What is generated for the chart: strict, complete, and no second truth."""

import json

import pytest
import yaml

from controllers.flags import FLAGS
from controllers.hosted import CONTROLLERS
from hack.chart.__main__ import CHART, ROOT, generated
from hack.chart.definitions import FOLDERS
from hack.chart.readme import readme_with_table, values_table
from hack.chart.schema import schema_file
from hack.chart.values import read_values

TEXT = """\
# -- How many.
# @minimum 1
replicas: 2

# What all have.
defaults:
  # -- How loud.
  # @enum low high
  level: low
  resources:
    limits: {}

# @component
one:
  enabled: true
  # @const
  mode: worker
  # @type integer null
  port: null
  # @flags worker
  flags: {}
"""


def schema() -> dict[str, object]:
    document: dict[str, object] = json.loads(schema_file(read_values(TEXT)))["properties"]
    return document


def test_files_of_the_chart_are_those_that_their_sources_give() -> None:
    assert {name for name, text in generated().items() if (CHART / name).read_text() != text} == set()


def test_every_definition_is_in_the_chart() -> None:
    for folder in FOLDERS:
        assert {path.name for path in (CHART / "files" / folder).iterdir()} == {
            path.name for path in (ROOT / folder).iterdir()
        }


def test_words_above_a_value_are_its_description_and_its_limits() -> None:
    (replicas, *_) = read_values(TEXT)

    assert (replicas.name, replicas.default, replicas.description) == ("replicas", 2, "How many.")
    assert schema()["replicas"] == {"type": "integer", "description": "How many.", "minimum": 1}


def test_component_has_the_keys_of_the_defaults_and_no_others() -> None:
    one = schema()["one"]

    assert isinstance(one, dict)
    assert one["additionalProperties"] is False
    assert set(one["properties"]) == {"level", "resources", "enabled", "mode", "port", "flags"}
    assert one["properties"]["mode"] == {"type": "string", "const": "worker"}
    assert one["properties"]["port"] == {"type": ["integer", "null"]}
    assert one["properties"]["resources"]["additionalProperties"] is True


def test_flags_are_those_of_the_mode_but_for_what_the_chart_sets_itself() -> None:
    one = schema()["one"]

    assert isinstance(one, dict)
    flags = set(one["properties"]["flags"]["properties"])
    assert {"job-duration", "concurrency"} <= flags <= {flag.name for flag in FLAGS}
    assert not {"jobs", "mode", "namespace", "metrics-secure"} & flags


def test_hint_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="@colour is no hint"):
        schema_file(read_values("# @colour red\na: 1\n"))


def test_table_has_a_row_for_each_value() -> None:
    rows = values_table(read_values(TEXT)).splitlines()

    assert "| `replicas` | `2` | How many. |" in rows
    assert '| `defaults.level` | `"low"` | How loud. One of `low`, `high`. |' in rows
    with pytest.raises(ValueError, match="has no <!-- values -->"):
        readme_with_table("no marks", ())


def test_every_hosted_controller_is_in_a_system_of_the_chart_and_has_its_rules() -> None:
    manager = yaml.safe_load((CHART / "files" / "modes.yaml").read_text())["manager"]
    rules = yaml.safe_load((CHART / "files" / "rbac.yaml").read_text())

    assert {name for names in manager["systems"].values() for name in names} == set(CONTROLLERS) <= set(rules)
    assert set(manager["cfWorkerGroup"].values()) <= set(rules)
