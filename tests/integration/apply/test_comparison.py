"""What is judged to change nothing changes nothing on the real API server either."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework.client import Client
from tests.component.apply.comparing import ONE_SERVER, SPECS, Judge, Thing, check_completeness, check_soundness
from tests.integration.apply.definitions import install

EXAMPLES = settings(ONE_SERVER, max_examples=60)


@pytest.fixture
def judge(client: Client, namespace: str) -> Judge:
    install(client, Thing)
    return Judge(client, namespace)


def test_what_is_judged_to_change_nothing_changes_nothing(judge: Judge) -> None:
    @EXAMPLES
    @given(before=SPECS, applied=st.none() | SPECS, patched=st.none() | SPECS, desired=st.none() | SPECS)
    def check(
        before: dict[str, Any],
        applied: dict[str, Any] | None,
        patched: dict[str, Any] | None,
        desired: dict[str, Any] | None,
    ) -> None:
        check_soundness(judge, before, applied, patched, before if desired is None else desired)

    check()


def test_what_was_just_applied_has_no_difference(judge: Judge) -> None:
    @EXAMPLES
    @given(spec=SPECS, theirs=st.none() | SPECS)
    def check(spec: dict[str, Any], theirs: dict[str, Any] | None) -> None:
        check_completeness(judge, spec, theirs)

    check()
