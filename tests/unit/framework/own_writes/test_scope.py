"""A cache shows of own writes what it would be sent, and no more."""

import msgspec
import pytest

from framework.own_writes.field_selector import FieldSelector
from tests.unit.framework.own_writes.bench import CONFIG_MAPS, Bench, content, status_of


def test_a_write_to_another_namespace_does_not_appear() -> None:
    bench = Bench(namespaces=("default",))
    bench.relist(5)

    bench.own_writes.answered(bench.sending("create", namespace="other"), content("a", 7, namespace="other"))

    assert bench.lister.list() == []
    assert not bench.has_pending


def test_each_namespace_is_followed_by_itself() -> None:
    bench = Bench(namespaces=("default", "other"))
    bench.relist(5)
    bench.wrote("a", 7, verb="create")

    bench.overlay.progress("other", 9)
    assert bench.seen("a") == 7
    assert bench.has_pending
    bench.overlay.progress("default", 9)

    assert not bench.has_pending


def test_an_object_without_the_label_does_not_appear() -> None:
    bench = Bench(labels="app=web")
    bench.relist(5)

    bench.wrote("a", 7, verb="create", labels={"app": "db"})
    bench.wrote("b", 8, verb="create", labels={"app": "web"})

    assert bench.seen("a") is None
    assert bench.seen("b") == 8


def test_an_object_that_loses_the_label_disappears_and_comes_back_with_it() -> None:
    bench = Bench(labels="app=web")
    bench.relist(5, content("a", 4, labels={"app": "web"}))

    bench.wrote("a", 7)
    assert bench.seen("a") is None
    bench.wrote("a", 8, labels={"app": "web"})

    assert bench.seen("a") == 8


def test_a_foreign_object_that_we_take_out_of_the_selection_does_not_flash_up_when_the_cache_catches_up() -> None:
    bench = Bench(labels="app=web")
    bench.relist(5)
    bench.wrote("a", 7)

    bench.event("ADDED", "a", 6, labels={"app": "web"})
    assert bench.seen("a") is None
    bench.event("DELETED", "a", 7, labels={"app": "web"})

    assert not bench.has_pending


def test_what_we_deleted_stays_gone_while_the_cache_sees_it_leave_the_selection_and_come_back() -> None:
    bench = Bench(labels="app=web")
    bench.relist(5, content("a", 4, labels={"app": "web"}))
    bench.deleted("a")

    bench.event("DELETED", "a", 6)
    bench.event("ADDED", "a", 7, labels={"app": "web"})
    assert bench.seen("a") is None
    bench.event("DELETED", "a", 8)

    bench.time.advance(15)
    bench.will_say(9)
    bench.own_writes.settle(15)
    bench.bookmark(9)
    assert not bench.has_pending


def test_so_it_does_when_the_cache_saw_it_leave_before_the_answer_came() -> None:
    bench = Bench(labels="app=web")
    bench.relist(5, content("a", 4, labels={"app": "web"}))
    access = bench.sending("delete", "a")
    bench.event("DELETED", "a", 6)
    bench.own_writes.answered(access, status_of("uid-a"))

    bench.event("ADDED", "a", 7, labels={"app": "web"})

    assert bench.seen("a") is None


def test_so_it_does_when_we_had_written_it_before() -> None:
    bench = Bench(labels="app=web")
    bench.relist(5)
    bench.wrote("a", 6, labels={"app": "web"})
    bench.deleted("a")

    bench.event("ADDED", "a", 6, labels={"app": "web"})
    bench.event("DELETED", "a", 7)
    bench.event("ADDED", "a", 8, labels={"app": "web"})

    assert bench.seen("a") is None


def test_one_question_settles_all_deletions_of_a_stream() -> None:
    bench = Bench(labels="app=web")
    bench.relist(5, *(content(f"a{number}", 4, labels={"app": "web"}) for number in range(100)))
    for number in range(100):
        bench.deleted(f"a{number}")
    bench.relist(50)
    assert bench.has_pending

    bench.time.advance(15)
    bench.will_say(60)
    bench.own_writes.settle(15)
    bench.own_writes.settle(15)

    assert len(bench.server.requests) == 1
    bench.bookmark(60)
    assert not bench.has_pending


def test_the_server_corrects_a_selection_that_we_misjudged() -> None:
    bench = Bench(fields="source=kubelet")
    bench.relist(5)
    bench.wrote("a", 7, verb="create")
    assert bench.seen("a") is None
    bench = Bench(fields="data.v!=x")
    bench.relist(5)
    bench.wrote("a", 7, verb="create")
    assert bench.seen("a") == 7

    bench.time.advance(15)
    bench.will_say(7)
    bench.own_writes.settle(15)

    assert bench.seen("a") is None


def test_a_selector_that_we_cannot_read_makes_reads_wait_instead_of_guessing() -> None:
    bench = Bench(labels="app>3")
    bench.relist(5)
    bench.wrote("a", 7)
    seen: list[int | None] = []
    bench.time.runtime.spawn("reader", lambda: seen.append(bench.seen("a")))
    bench.time.wait_until_idle()

    assert seen == []
    bench.bookmark(7)
    bench.time.wait_until_idle()

    assert seen == [None]


@pytest.mark.parametrize(
    ("selector", "is_selected"),
    [
        ("metadata.name=a", True),
        ("metadata.name==b", False),
        ("metadata.name!=b,status.phase=Running", True),
        ("status.phase!=Running", False),
        ("spec.unschedulable=false", True),
        ("spec.hostNetwork=true", True),
        ("status.replicas=3", True),
        ("status.ready=0", True),
        ("spec.nodeName=", True),
        ("spec.nodeName!=", False),
        ("spec=x", False),
    ],
)
def test_field_selectors_mean_what_they_mean_to_the_server(selector: str, *, is_selected: bool) -> None:
    pod = {
        "metadata": {"name": "a"},
        "spec": {"hostNetwork": True},
        "status": {"phase": "Running", "replicas": 3},
    }

    assert FieldSelector.parse(selector).matches(pod) is is_selected


def test_a_field_selector_limits_what_appears() -> None:
    bench = Bench(fields="data.v!=8")
    bench.relist(5)

    bench.wrote("a", 7)
    assert bench.seen("a") == 7
    bench.wrote("a", 8)

    assert bench.seen("a") is None


def test_answers_of_other_kinds_and_to_reads_are_not_taken_for_objects() -> None:
    bench = Bench()
    bench.relist(5)
    page = msgspec.json.encode({"kind": "ConfigMapList", "items": []})

    bench.own_writes.answered(bench.sending("list"), page)
    bench.own_writes.answered(bench.sending("get", "a"), content("a", 7))

    assert bench.lister.list() == []
    assert CONFIG_MAPS.plural == "configmaps"
