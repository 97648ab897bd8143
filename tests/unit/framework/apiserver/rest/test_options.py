"""The options of writes."""

import pytest

from framework.apiserver.rest.options import APPLY, WriteOptions, write_options
from framework.apiserver.rest.request_info import Query
from framework.errors import Invalid


def options(query: str, kind: str = "CreateOptions", patch_type: str = "") -> WriteOptions:
    return write_options(Query(query), kind, patch_type)


def test_without_any_a_write_is_done_and_unknown_fields_are_told() -> None:
    assert options("") == WriteOptions(is_dry_run=False, field_validation="Warn", is_forced=False)


def test_what_is_asked_for_is_read() -> None:
    found = options("dryRun=All&fieldValidation=Strict&fieldManager=me&force=true", "PatchOptions", APPLY)

    assert found == WriteOptions(is_dry_run=True, field_validation="Strict", is_forced=True)


@pytest.mark.parametrize(
    ("query", "kind", "patch_type", "message"),
    [
        ("dryRun=Some", "CreateOptions", "", 'dryRun: Unsupported value: ["Some"]: supported values: "All"'),
        ("", "PatchOptions", APPLY, "fieldManager: Required value: is required for apply patch"),
        ("force=true", "PatchOptions", "x", "force: Forbidden: may not be specified for non-apply patch"),
        ("fieldManager=" + "a" * 129, "UpdateOptions", "", "fieldManager: Too long: may not be more than 128 bytes"),
        ("fieldManager=a%01", "UpdateOptions", "", r"\(at position 1\)"),
        ("fieldValidation=Loose", "CreateOptions", "", 'fieldValidation: Unsupported value: "Loose"'),
    ],
)
def test_what_is_wrong_is_told_with_its_field(query: str, kind: str, patch_type: str, message: str) -> None:
    with pytest.raises(Invalid, match=message.replace("[", r"\[").replace("]", r"\]")):
        options(query, kind, patch_type)


def test_force_says_nothing_about_a_create() -> None:
    assert options("force=x").field_validation == "Warn"
