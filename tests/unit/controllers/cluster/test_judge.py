"""Which Clusters are ready, when, and how much they are asked."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from controllers.cluster.judge import SYNC_SECONDS
from controllers.cluster.probe import NEEDS
from framework.errors import ConnectError, TlsError
from tests.unit.controllers.cluster.judged import URL, Judged, kubeconfig

Make = Callable[..., Judged]


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[Judged] = []

    def go(**settings: Any) -> Judged:
        judged = Judged(**settings)
        made.append(judged)
        return judged

    yield go
    for judged in made:
        judged.stop()


@pytest.fixture
def judged(make: Make) -> Judged:
    return make()


def test_nothing_is_said_of_a_cluster_that_has_not_been_asked(judged: Judged) -> None:
    judged.server.hang()

    assert judged.reason() == ""

    # The one who waits is the prober, which has a task of its own.
    assert judged.server.waiting == 1
    assert judged.server.reviews == 0


def test_one_that_answers_is_ready(judged: Judged) -> None:
    judged.until_ready()

    assert judged.link.outcome.server_version == "v1.30.0"


def test_nothing_is_said_while_caches_are_filled_but_not_for_ever(judged: Judged) -> None:
    judged.server.fills_caches = False
    judged.ready()
    assert judged.reason() == ""

    judged.stage.time.advance(SYNC_SECONDS - 1)
    assert judged.reason() == ""
    assert judged.judge.seconds_to_next(judged.link) == pytest.approx(0.2)
    judged.stage.time.advance(1)

    assert judged.reason() == "Unreachable"


def test_one_that_never_was_ready_is_unreachable_at_once(judged: Judged) -> None:
    judged.server.failure = ConnectError("refused")

    judged.ready()

    assert judged.reason() == "Unreachable"


def test_one_that_was_ready_has_so_many_looks_to_come_back(make: Make) -> None:
    judged = make(probe_failures=3)
    judged.until_ready()
    judged.server.failure = ConnectError("refused")

    assert [judged.next(), judged.next(), judged.next()] == ["", "", "Unreachable"]


def test_watches_that_end_together_are_one_failure(make: Make) -> None:
    judged = make(probe_failures=3)
    judged.until_ready()
    judged.server.failure = ConnectError("refused")
    for _ in range(10):
        judged.link.remote._health.failed(ConnectError("cut"))

    assert judged.reason() == ""
    # And nothing is new as long as nobody has tried again.
    judged.link.due = 0.0
    assert judged.reason() == ""
    assert judged.link.failed_looks == 1


def test_one_that_comes_back_has_all_its_looks_again(make: Make) -> None:
    judged = make(probe_failures=2)
    judged.until_ready()
    judged.server.failure = ConnectError("refused")
    assert judged.next() == ""
    judged.server.recover()
    judged.stage.time.advance(6)
    assert judged.reason() == "ClusterReady"

    judged.server.failure = ConnectError("refused")

    assert judged.next() == ""
    assert judged.next() == "Unreachable"


@pytest.mark.parametrize("reason", ["Unauthorized", "TLSVerificationFailed"])
def test_what_no_time_will_mend_is_said_at_once(judged: Judged, reason: str) -> None:
    judged.until_ready()
    if reason == "Unauthorized":
        judged.server.status = 401
    else:
        judged.server.failure = TlsError("self-signed certificate")

    assert judged.next() == reason


def test_a_server_that_answers_with_errors_alone_is_unreachable(judged: Judged) -> None:
    judged.until_ready()
    judged.server.status = 503

    reasons = [judged.next() for _ in range(3)]

    assert reasons == ["", "", "Unreachable"]


def test_the_words_of_a_failure_stay_while_its_reason_does(judged: Judged) -> None:
    judged.server.failure = ConnectError("refused after 1 ms")
    judged.ready()
    first = judged.ready()
    judged.server.failure = ConnectError("refused after 2 ms")

    judged.stage.time.advance(60)
    second = judged.ready()

    assert first is not None
    assert "after 1 ms" in first.message
    assert "after 2 ms" in judged.link.outcome.message
    assert second == first


def test_rights_that_are_missing_are_named_and_asked_for_again(judged: Judged) -> None:
    judged.until_ready()
    asked = judged.server.reviews
    judged.server.refused = ("delete deployments", "watch secrets")

    assert judged.next() == "Forbidden"

    message = judged.cluster.status.conditions[0].message
    assert message.endswith("delete deployments.apps, watch secrets")
    assert judged.server.reviews == asked + 1 + len(NEEDS)


def test_who_may_do_anything_is_asked_once_each_time(judged: Judged) -> None:
    judged.server.is_ours_alone = True
    judged.until_ready()
    assert judged.server.reviews == 1

    assert judged.next() == "ClusterReady"

    assert judged.server.reviews == 2


def test_nothing_is_asked_before_its_time(judged: Judged) -> None:
    judged.until_ready()
    requests = len(judged.server.requests)

    assert judged.reason() == "ClusterReady"

    assert len(judged.server.requests) == requests
    assert judged.judge.seconds_to_next(judged.link) == pytest.approx(judged.settings.probe_seconds)


def test_one_that_is_refused_is_asked_less_and_less(judged: Judged) -> None:
    judged.server.refused = ("list secrets",)
    judged.ready()
    judged.ready()

    pauses = []
    for _ in range(6):
        pauses.append(judged.judge.seconds_to_next(judged.link))
        judged.next()

    assert pauses == pytest.approx([5.0, 10.0, 20.0, 40.0, 60.0, 60.0])


def test_another_cluster_is_not_used_until_it_is_accepted(judged: Judged) -> None:
    judged.until_ready()
    status = msgspec.structs.replace(judged.cluster.status, cluster_id="the-first")
    judged.cluster = msgspec.structs.replace(judged.cluster, status=status)
    judged.server.cluster_id = "the-second"
    assert judged.next() == "IdentityChanged"
    requests = len(judged.server.requests)

    annotations = {"laf.dev/accept-cluster-id": "the-second"}
    metadata = msgspec.structs.replace(judged.cluster.metadata, annotations=annotations)
    judged.cluster = msgspec.structs.replace(judged.cluster, metadata=metadata)

    # From what is known already.
    assert judged.reason() == "ClusterReady"
    assert len(judged.server.requests) == requests


def test_a_kubeconfig_that_is_of_no_use_ends_the_connection_of_the_one_before(judged: Judged) -> None:
    judged.until_ready()
    before = judged.link.remote
    judged.replace_kubeconfig("garbage")

    assert judged.reason() == "InvalidClientConfig"

    assert not before.is_connected
    assert judged.judge.seconds_to_next(judged.link) is None
    judged.replace_kubeconfig(kubeconfig("second"))
    judged.server.requests.clear()
    judged.until_ready()
    assert judged.server.tokens == {"Bearer second"}


def test_a_kubeconfig_that_is_exchanged_begins_anew(judged: Judged) -> None:
    judged.until_ready()
    nowhere = "https://elsewhere"
    judged.stage.server(nowhere).failure = ConnectError("refused")
    judged.replace_kubeconfig(kubeconfig("second", nowhere))

    judged.ready()

    # It never was ready with this one.
    assert judged.reason() == "Unreachable"
    assert judged.server.url == URL


def test_a_cluster_that_is_made_again_shares_nothing_with_the_one_before(judged: Judged) -> None:
    judged.until_ready()
    before = judged.link.remote
    metadata = msgspec.structs.replace(judged.cluster.metadata, uid="uid-2")
    judged.cluster = msgspec.structs.replace(judged.cluster, metadata=metadata)

    assert judged.link.outcome is None

    assert not before.is_connected
    judged.until_ready()
    assert judged.link.remote is not before
