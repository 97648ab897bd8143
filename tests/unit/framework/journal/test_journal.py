"""What is kept of the runs of a controller, and that it is bounded."""

from contextvars import copy_context
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, Request, resource_type_of
from framework.client import Access
from framework.errors import ConfigurationError, Conflict, Status
from framework.journal import Journal, JournalObserver, JournalOptions, Run, current_reasons, set_current_run
from framework.journal.report import controller_report
from framework.journal.run import MAX_CALLS
from framework.runtime import ThreadRuntime
from framework.workqueue import Reason

CONFIG_MAPS = resource_type_of(ConfigMap)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def journal(**options: int) -> Journal:
    return Journal(ThreadRuntime(), JournalOptions(**options))


def request(name: str, namespace: str = "default", cluster: str = "") -> Request:
    return Request(Key(namespace, name), cluster)


def run(number: int = 0, *reasons: Reason) -> Run:
    return Run(f"run-{number}", float(number), 0.0, 0, reasons)


def access(verb: str, name: str = "a", subresource: str = "") -> Access:
    return Access(verb, CONFIG_MAPS, subresource, "default", name)


def test_last_runs_of_a_key_are_kept_and_all_are_counted() -> None:
    kept = journal(runs_per_key=3)
    for number in range(10):
        kept.begin(request("a"), run(number))

    count, runs = kept.look(request("a"))

    assert count == 10
    assert [each.id for each in runs] == ["run-7", "run-8", "run-9"]


def test_keys_that_ran_last_are_kept_and_their_number_is_bounded() -> None:
    kept = journal(keys=10)
    for number in range(1000):
        kept.begin(request(f"key-{number}"), run(number))
        kept.begin(request("busy"), run(number))

    known = [name for name in (f"key-{number}" for number in range(1000)) if kept.look(request(name))[0]]

    assert len(known) + 1 <= 10
    # The half of the keys that ran last, of which `busy` is one.
    assert set(known) >= {f"key-{number}" for number in range(996, 1000)}
    assert kept.look(request("busy"))[0] == 1000


def test_journal_of_no_keys_says_that_it_keeps_nothing() -> None:
    assert not journal(keys=0).is_kept
    assert journal(keys=1).is_kept


@pytest.mark.parametrize("options", [{"keys": -1}, {"runs_per_key": 0}])
def test_journal_that_cannot_be_meant_is_refused(options: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError, match="a journal keeps"):
        JournalOptions(**options)


def test_object_is_found_in_its_namespace_or_in_any_and_in_every_cluster() -> None:
    kept = journal()
    everywhere = [request("a", "x"), request("a", "y"), request("a", "x", "east"), request("b", "x")]
    for each in everywhere:
        kept.begin(each, run())

    assert kept.find(Key("x", "a")) == [request("a", "x"), request("a", "x", "east")]
    assert kept.find(Key("", "a")) == everywhere[:3]
    assert kept.find(Key("x", "c")) == []


def noted(*steps: Any) -> Run:
    """A run in which an observer heard of *steps*, each in the context of the run."""
    current = run()

    def go() -> None:
        set_current_run(current)
        observer = JournalObserver()
        for access_, answer in steps:
            if isinstance(answer, Exception):
                observer.failed(access_, answer)
            else:
                observer.answered(access_, answer)

    copy_context().run(go)
    return current


def test_calls_are_noted_with_the_version_that_the_server_answered() -> None:
    answer = msgspec.json.encode({"kind": "ConfigMap", "metadata": {"name": "a", "resourceVersion": "42"}})

    (call,) = noted((access("patch", subresource="status"), answer)).calls

    assert (call.verb, call.resource, call.subresource, call.namespace, call.name, call.version) == (
        "patch",
        "configmaps",
        "status",
        "default",
        "a",
        "42",
    )


@pytest.mark.parametrize("answer", [b"", b"not json", b"[]", b'{"metadata": 3}', b'{"metadata": {}}'])
def test_answer_without_a_version_is_noted_all_the_same(answer: bytes) -> None:
    (call,) = noted((access("get"), answer)).calls

    assert (call.verb, call.version, call.error) == ("get", "", "")


def test_failed_call_is_reported_with_its_error_and_without_its_secrets() -> None:
    error = Conflict(Status(409, "Conflict", "somebody said\n  password: hunter2hunter2"))
    kept, failed = journal(), noted((access("patch"), error))
    failed.error = "WindlassError: token=abcdefgh " + "x" * 5000
    kept.begin(request("a"), failed)

    report = controller_report("c", kept, request("a"), now=NOW, monotonic=1.0)

    (told,) = report.runs
    assert [call.error for call in told.writes] == ["Conflict: somebody said password: [redacted]"]
    assert told.error.startswith("WindlassError: token=[redacted] xxx")
    assert len(told.error) == 300


def test_number_of_calls_of_a_run_is_bounded_and_the_rest_is_counted() -> None:
    found = noted(*[(access("list", ""), b"{}")] * (MAX_CALLS + 7))

    assert (len(found.calls), found.calls_left_out) == (MAX_CALLS, 7)


def test_call_outside_of_a_reconcile_is_nobodys() -> None:
    JournalObserver().answered(access("get"), b"{}")
    JournalObserver().failed(access("get"), ValueError())

    assert current_reasons() == ()
