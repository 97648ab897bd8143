"""Each controller of laf, alone in its process, with the rules that the chart has for it."""

from collections.abc import Mapping

from tests.component.rights.guarded import Permission
from tests.component.rights.laf_story import LafStory

# What the story has no occasion for, and where it is shown that there is one.
UNUSED: Mapping[Permission, str] = {
    ("patch", "events.k8s.io", "events"): "an event that comes again: tests/component/events",
}


def test_rules_are_enough_and_none_is_left_over() -> None:
    story = LafStory()

    story.tell()

    unused = story.guarded.unused()
    assert {name: sorted(left - set(UNUSED)) for name, left in unused.items() if left - set(UNUSED)} == {}


def test_rules_are_enough_in_a_few_namespaces_alone() -> None:
    story = LafStory(is_confined=True)

    story.tell()

    assert story.guarded.server.refused == []
