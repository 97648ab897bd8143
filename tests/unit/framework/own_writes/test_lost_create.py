"""A create whose answer was lost: the object that it names tells, not the whole of the resource."""

from apis.meta import Request
from framework.client import Access
from framework.errors import TimedOut
from framework.own_writes import Reconcile, ReconcileScope
from tests.unit.framework.own_writes.bench import CONFIG_MAPS, NAMESPACE, Bench, content, key_of


def lose_create(bench: Bench, made_name: str) -> Reconcile:
    access = Access("create", CONFIG_MAPS, "", NAMESPACE, "", made_name=made_name)
    with ReconcileScope(Reconcile("test", Request(key_of("a")), "overlay")) as scope:
        bench.own_writes.sending(access)
        bench.own_writes.failed(access, TimedOut("no answer"))
    return scope


def test_one_that_was_made_has_passed_as_soon_as_the_cache_shows_it(bench: Bench) -> None:
    (write,) = lose_create(bench, "a").writes
    bench.event("ADDED", "a", 5)
    # Others go on, and no bookmark has told the cache how far.
    bench.will_say(90, content("a", 5))

    assert write.has_passed


def test_one_that_the_cache_does_not_show_has_not(bench: Bench) -> None:
    (write,) = lose_create(bench, "a").writes
    bench.event("ADDED", "b", 4)
    bench.will_say(90, content("a", 5))

    assert not write.has_passed


def test_of_one_whose_name_the_server_chooses_only_the_version_tells(bench: Bench) -> None:
    (write,) = lose_create(bench, "").writes
    bench.event("ADDED", "a", 5)
    bench.will_say(90, content("a", 5))
    assert not write.has_passed

    bench.bookmark(90)

    assert write.has_passed
