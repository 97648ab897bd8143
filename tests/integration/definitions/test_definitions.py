"""What is claimed of the embedded server must be true of the real one: the same tests."""

from tests.component.definitions.test_definitions import (
    test_a_deleted_definition_empties_the_cache_and_one_with_another_schema_fills_it_again,
    test_a_version_that_is_no_longer_served_keeps_its_objects_for_they_live_on,
    test_an_informer_that_follows_definitions_begins_with_its_kind,
    test_an_informer_waits_for_its_kind_and_holds_up_no_other,
    test_deletions_that_nobody_saw_are_told_when_the_definition_is_gone,
)

__all__ = [
    "test_a_deleted_definition_empties_the_cache_and_one_with_another_schema_fills_it_again",
    "test_a_version_that_is_no_longer_served_keeps_its_objects_for_they_live_on",
    "test_an_informer_that_follows_definitions_begins_with_its_kind",
    "test_an_informer_waits_for_its_kind_and_holds_up_no_other",
    "test_deletions_that_nobody_saw_are_told_when_the_definition_is_gone",
]
