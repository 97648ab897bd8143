"""What is said of what the image is made of."""

import json

import pytest

from hack.supply_chain.__main__ import LICENCES, RUNTIME
from hack.supply_chain.audit import judge
from hack.supply_chain.licences import licence_table
from hack.supply_chain.pinned import pinned

FINE, UNKNOWN = {"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "not found"}
BAD = {"name": "c", "version": "2", "vulns": [{"id": "CVE-1"}, {"id": "CVE-2"}]}


def test_only_what_this_system_needs_counts_as_pinned() -> None:
    text = "a==1 \\\n    --hash=x\nb==2 ; sys_platform == 'nowhere' \\\n    --hash=y\n"

    assert pinned(text) == {"a": "1"}


def test_licences_are_those_of_the_lock() -> None:
    versions = pinned(RUNTIME.read_text())

    assert licence_table(versions) == LICENCES.read_text()
    assert "unknown" not in LICENCES.read_text()


@pytest.mark.parametrize(
    ("output", "said", "is_bad"),
    [
        (json.dumps({"dependencies": [FINE]}), "no known vulnerability in 1 distributions", False),
        (json.dumps({"dependencies": [FINE, UNKNOWN]}), "in 1 distributions; not known there: b", False),
        (json.dumps({"dependencies": [FINE, BAD]}), "known vulnerabilities: c 2: CVE-1; c 2: CVE-2", True),
        (json.dumps({"dependencies": [UNKNOWN]}), "SKIPPED, the data cannot be reached", False),
        ("", "SKIPPED, the data cannot be reached from here: no route", False),
    ],
)
def test_verdict_tells_what_is_known_from_what_could_not_be_asked(output: str, said: str, *, is_bad: bool) -> None:
    verdict = judge(output, "trouble\nno route")

    assert said in verdict.text
    assert verdict.is_bad is is_bad
