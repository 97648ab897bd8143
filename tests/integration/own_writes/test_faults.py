"""A real server behind a relay that holds the watch back and loses an answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.controller import ControllerOptions, Mapped
from framework.informers import InformerOptions
from framework.manager import Manager
from framework.reconcile import Result
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from framework.testing.relay import Fault, Match, Relay, RespondAfterApply, Stall

WANTED = 3
LIMIT_SECONDS = 30.0
PATH = "/configmaps$"
WATCH = Match(path=PATH, query={"watch": "true"})
CREATE = Match(method="POST", path=PATH)


class Children:
    """Creates one child after the other, by what the lister shows, until there are enough."""

    def __init__(self, manager: Manager, namespace: str) -> None:
        informer = manager.informer(ConfigMap, InformerOptions(namespaces=(namespace,), use_watch_list=False))
        self._namespace = namespace
        self._lister = informer.lister
        self._client = manager.client_for("children")
        self.reconciles = 0
        self.is_settled = False
        sources = [Mapped(informer, self._owner_of)]
        self.controller = manager.add_controller("children", self, sources, ControllerOptions())

    def _owner_of(self, obj: ConfigMap) -> list[Request]:
        return [self.request] if "child" in obj.metadata.labels else []

    @property
    def request(self) -> Request:
        return Request(Key(self._namespace, "owner"))

    def reconcile(self, request: Request) -> Result:
        assert request == self.request
        self.reconciles += 1
        self.is_settled = len(self._lister.list(self._namespace, "child")) >= WANTED
        if self.is_settled:
            return Result.await_change()
        meta = ObjectMeta(generate_name="child-", namespace=self._namespace, labels={"child": "yes"})
        self._client.create(ConfigMap(metadata=meta))
        return Result.after(0.01)


@pytest.fixture
def manager(control_plane: ControlPlane, relay: Relay, tmp_path: Path) -> Iterator[Manager]:
    kubeconfig = relay.kubeconfig(tmp_path, control_plane.token)
    made = Manager(connect(from_kubeconfig(str(kubeconfig), clock=SystemClock())))
    yield made
    made.stop()


def names(client: Client, namespace: str) -> list[str]:
    return [each.metadata.name for each in client.list(ConfigMap, namespace, labels="child")]


def test_a_controller_counts_its_children_right_though_no_event_comes(
    client: Client, namespace: str, manager: Manager, relay: Relay
) -> None:
    children = Children(manager, namespace)
    relay.inject(Fault(WATCH, Stall(after_events=0), times=None))
    manager.start()

    children.controller.enqueue(children.request)

    assert wait_until(lambda: children.is_settled, limit_seconds=LIMIT_SECONDS)
    assert children.reconciles == WANTED + 1
    assert len(names(client, namespace)) == WANTED


def test_a_creation_whose_answer_was_lost_is_not_made_again_before_the_cache_tells(
    client: Client, namespace: str, manager: Manager, relay: Relay
) -> None:
    children = Children(manager, namespace)
    relay.inject(Fault(WATCH, Stall(after_events=0), times=None))
    relay.inject(Fault(CREATE, RespondAfterApply(), nth=2))
    manager.start()
    children.controller.enqueue(children.request)
    gated = "windlass_reconcile_gated_total"
    labels = {"controller": "children"}

    assert wait_until(lambda: (manager.registry.get_sample_value(gated, labels) or 0) > 5, limit_seconds=LIMIT_SECONDS)
    assert len(names(client, namespace)) == 2
    relay.release()

    assert wait_until(lambda: children.is_settled, limit_seconds=LIMIT_SECONDS)
    assert len(names(client, namespace)) == WANTED
