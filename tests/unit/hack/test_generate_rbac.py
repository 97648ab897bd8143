"""The rules of the chart's roles are those of the registrations, and as narrow as they can be."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from controllers.roles import rules_file
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer

ROOT = Path(__file__).parents[3]
FILE = ROOT / "charts" / "windlass" / "files" / "rbac.yaml"


def rules() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for component, parts in yaml.safe_load(FILE.read_text()).items():
        named = parts.pop("namespaces", {})
        for part, found in [*parts.items(), *named.items()]:
            for rule in found:
                yield component, part, rule


def test_file_is_what_the_registrations_give() -> None:
    assert rules_file(in_process_client(ApiServer())) == FILE.read_text()


def test_no_rule_has_a_wildcard_or_a_dangerous_verb() -> None:
    words = {word for _, _, rule in rules() for values in rule.values() for word in values}

    assert not words & {"*", "escalate", "bind", "impersonate"}


def test_lease_is_limited_to_one_name_but_for_its_creation() -> None:
    leases = [(part, rule) for _, part, rule in rules() if rule["resources"] == ["leases"]]

    assert leases
    for part, rule in leases:
        assert part == "home"
        is_of_one = rule.get("resourceNames") in (["windlass-director"], ["windlass-manager"])
        assert rule["verbs"] == ["create"] or is_of_one


@pytest.mark.parametrize("is_changed", [False, True])
def test_check_tells_a_difference_and_changes_nothing(tmp_path: Path, *, is_changed: bool) -> None:
    copy = tmp_path / "hack" / "generate-rbac"
    target = tmp_path / FILE.relative_to(ROOT)
    for path, text in ((copy, (ROOT / "hack" / "generate-rbac").read_text()), (target, FILE.read_text())):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    if is_changed:
        target.write_text(FILE.read_text().replace("- patch", "- update"))
    before = target.read_text()

    finished = subprocess.run(
        [sys.executable, str(copy), "--check"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )

    assert finished.returncode == int(is_changed), finished.stderr
    assert ("-    - update" in finished.stdout) is is_changed
    assert target.read_text() == before
