"""Generated files: deterministic, whole, and nothing stale beside them."""

from pathlib import Path

import pytest
import yaml

from apis.registry import CF_WORKER_GROUP_KINDS, CUSTOM_KINDS
from apis.requeststate.v1 import RequestState
from apis.schema import crd_of, difference, render, to_yaml, write
from apis.schema.__main__ import main

ROOT = Path(__file__).parents[4]
NAME = "com.redhat.ecosystem.sample_requeststates.yaml"


def test_the_text_is_the_crd() -> None:
    crd = crd_of(RequestState)

    assert yaml.safe_load(to_yaml(crd)) == crd


def test_the_text_has_no_references_and_no_flow_style() -> None:
    text = to_yaml(crd_of(RequestState))

    assert "&id" not in text
    assert "'True'" in text
    assert "{job" not in text


def test_the_keys_are_in_the_order_of_kubernetes() -> None:
    assert list(yaml.safe_load(to_yaml(crd_of(RequestState)))) == ["apiVersion", "kind", "metadata", "spec"]


def test_the_header_says_from_what_the_file_was_made() -> None:
    first = render([RequestState])[NAME].splitlines()[0]

    assert first == "# Generated from apis.requeststate.v1.RequestState by apis.schema; edit the types, not this file."


def test_the_files_in_the_tree_are_those_that_the_types_give() -> None:
    assert difference(ROOT / "crds", render(CUSTOM_KINDS)) == ""
    assert difference(ROOT / "crds-cf-worker-group", render(CF_WORKER_GROUP_KINDS)) == ""


def test_writing_removes_what_is_stale_and_leaves_what_is_foreign(tmp_path: Path) -> None:
    (tmp_path / "old.yaml").write_text("# Generated from nothing\n")
    (tmp_path / "mine.yaml").write_text("kind: ConfigMap\n")

    write(tmp_path, {"new.yaml": "# Generated\n"})

    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.yaml", "new.yaml"]


def test_the_difference_shows_changed_missing_and_stale_files(tmp_path: Path) -> None:
    (tmp_path / "changed.yaml").write_text("# Generated\na: 1\n")
    (tmp_path / "stale.yaml").write_text("# Generated\nb: 1\n")

    found = difference(tmp_path, {"changed.yaml": "# Generated\na: 2\n", "missing.yaml": "c: 1\n"})

    assert {"-a: 1", "+a: 2", "-b: 1", "+c: 1"} <= set(found.splitlines())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["changed.yaml", "stale.yaml"]


@pytest.mark.parametrize("kinds", ["apis.registry:CUSTOM_KINDS", "apis.requeststate.v1:RequestState"])
def test_the_command_writes_and_then_verifies(tmp_path: Path, capsys: pytest.CaptureFixture[str], kinds: str) -> None:
    folder = str(tmp_path)

    codes = [
        main(arguments) for arguments in (["--verify", folder, kinds], [folder, kinds], ["--verify", folder, kinds])
    ]

    assert codes == [1, 0, 0]
    assert "+kind: CustomResourceDefinition" in capsys.readouterr().out


@pytest.mark.parametrize("reference", ["apis.registry", "apis.registry:NOTHING", "apis.nowhere:KINDS"])
def test_a_wrong_reference_is_one_line_and_exit_code_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reference: str
) -> None:
    code = main([str(tmp_path), reference])

    assert code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
