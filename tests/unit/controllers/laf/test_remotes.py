"""Which Clusters may be used now."""

from typing import Any, cast

import pytest

from apis.laf.cluster import Cluster, ClusterSpec
from apis.meta import ObjectMeta
from controllers.laf import remotes as module
from controllers.laf.client_config import config_hash
from controllers.laf.remotes import Remote, Remotes
from framework.runtime import ThreadRuntime

FIRST, SECOND = "kind: Config # 1", "kind: Config # 2"


def a_cluster(client_config: str, uid: str = "u1") -> Cluster:
    spec = ClusterSpec(region="east", client_config=client_config)
    return Cluster(metadata=ObjectMeta(name="a", namespace="laf-system", uid=uid), spec=spec)


def a_remote(client_config: str) -> Remote:
    return Remote(config_hash=config_hash(client_config), cluster_id="id", cluster=cast("Any", None))


def with_first() -> Remotes:
    remotes = Remotes(ThreadRuntime())
    remotes.admit("u1", a_remote(FIRST))
    return remotes


def test_a_kubeconfig_that_was_replaced_is_not_used_again_and_not_before_it_was_judged() -> None:
    remotes = with_first()

    assert remotes.of(a_cluster(FIRST)) is not None
    assert remotes.of(a_cluster(SECOND)) is None
    assert remotes.of(a_cluster(FIRST)) is not None

    remotes.admit("u1", a_remote(SECOND))
    assert remotes.of(a_cluster(FIRST)) is None
    assert remotes.of(a_cluster(SECOND)) is not None


def test_a_cluster_that_was_made_again_is_another() -> None:
    assert with_first().of(a_cluster(FIRST, uid="u2")) is None


def test_who_is_withdrawn_or_forgotten_cannot_be_used() -> None:
    withdrawn, forgotten = with_first(), with_first()
    withdrawn.withdraw("u1")
    forgotten.forget("u1")

    assert (withdrawn.of(a_cluster(FIRST)), withdrawn.is_judged("u1")) == (None, True)
    assert (forgotten.of(a_cluster(FIRST)), forgotten.is_judged("u1")) == (None, False)


def test_a_kubeconfig_that_stays_is_hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[str] = []

    def counted(text: str) -> str:
        hashed.append(text)
        return config_hash(text)

    remotes = with_first()
    monkeypatch.setattr(module, "config_hash", counted)
    for _ in range(3):
        remotes.of(a_cluster(FIRST))

    assert hashed == [FIRST]
