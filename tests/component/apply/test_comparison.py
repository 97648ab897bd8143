"""Whatever is judged to change nothing changes nothing: random desired objects, on the embedded server."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from apis.schema import crd_of
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from tests.component.apply.comparing import ONE_SERVER, SPECS, Judge, Thing, check_completeness, check_soundness
from tests.component.apply.stage import CUSTOM_RESOURCE_DEFINITION

EXAMPLES = settings(ONE_SERVER, max_examples=120)


def embedded() -> Judge:
    client = in_process_client(ApiServer())
    client.apply(CUSTOM_RESOURCE_DEFINITION, crd_of(Thing))
    return Judge(client, "default")


def test_what_is_judged_to_change_nothing_changes_nothing() -> None:
    judge = embedded()

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


def test_what_was_just_applied_has_no_difference() -> None:
    judge = embedded()

    @EXAMPLES
    @given(spec=SPECS, theirs=st.none() | SPECS)
    def check(spec: dict[str, Any], theirs: dict[str, Any] | None) -> None:
        check_completeness(judge, spec, theirs)

    check()
