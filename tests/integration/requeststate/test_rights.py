"""The generated roles are neither wider nor narrower than what director and worker do, on both API servers."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from apis.meta import Key
from apis.requeststate.v1 import RequestState
from controllers.preflight import check_namespace
from controllers.requeststate.flow import Flow
from controllers.requeststate.jobs import load_jobs
from controllers.requeststate.own_requests import OwnRequests
from controllers.requeststate.register import DIRECTOR, LEASE_NAME, WORKER, register_director, register_worker
from controllers.requeststate.worker_options import WorkerOptions
from controllers.roles import CREATOR, rights_by_component
from framework.client import Access, Client, Observer, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.manager import LEADER_ELECTION, Manager, ManagerOptions
from framework.rights import AccessRecorder, AccessReviews, Comparison, Need, compare, needs_of
from framework.runtime import ThreadRuntime
from framework.testing.control_plane.waiting import wait_until
from tests.cluster import Cluster
from tests.integration.requeststate.objects import Objects, is_stalled
from tests.integration.requeststate.processes import Windlass, eventually
from tests.integration.requeststate.roles import bind, bound_everywhere, generated_rules, rules_for

DIRECTOR_COMPONENTS = (DIRECTOR, CREATOR, LEADER_ELECTION)
FLOW = Flow.parse("JOB1,JOB2")
REQUEST_STATES = "requeststates.com.redhat.ecosystem.sample"
# What the flow of this test has no occasion for.
UNUSED = {
    f"list {REQUEST_STATES}": "for servers without WatchList, and whenever a WatchList fails",
}


class Meddler(Observer):
    """Changes a request right before the worker moves its spec, once, so that the worker must look again."""

    def __init__(self, admin: Client) -> None:
        self._admin = admin
        self._has_meddled = False

    def sending(self, access: Access) -> None:
        is_move = access.verb == "patch" and access.resource_type.plural == "requeststates" and not access.subresource
        if is_move and not self._has_meddled:
            self._has_meddled = True
            annotated = {"metadata": {"annotations": {"example.com/meddled": "true"}}}
            self._admin.merge_patch(RequestState, Key(access.namespace, access.name), annotated)


class Stage:
    """Managers in this process, in the names of users with nothing but the generated roles."""

    def __init__(self, admin: Client, cluster: Cluster, namespace: str) -> None:
        self.admin = admin
        self.namespace = namespace
        self.objects = Objects(admin, namespace)
        self._cluster = cluster

    @contextmanager
    def client_of(self, user: str, *components: str) -> Iterator[Client]:
        """Of *user*, as soon as the roles of *components* are in force, which is some time after they were bound."""
        bind(self.admin, self.namespace, user, generated_rules(*components))
        client = connect(from_kubeconfig(str(self._cluster.kubeconfig_for(user)), clock=SystemClock()))
        reviews, needs = AccessReviews(client), self.needs(*components)
        eventually(lambda: reviews.missing(needs) == (), f"{user} has the rights of {', '.join(components)}")
        yield client
        client.connection.close()

    def manager(self, client: Client, *, elects: bool, namespaces: tuple[str, ...] = ()) -> Manager:
        lease = Key(self.namespace, LEASE_NAME) if elects else None
        watched = namespaces or (self.namespace,)
        options = ManagerOptions(lease=lease, identity=f"test-{elects}", namespaces=watched)
        return Manager(client, options=options)

    def stall_again(self, name: str) -> None:
        """A request that stalled stalls again, for the same reason: its event becomes a series."""
        self.objects.wait_for(name, is_stalled)
        self.objects.edit_status(name, {"conditions": []})
        self.objects.wait_for(name, is_stalled)

    def needs(self, *components: str) -> tuple[Need, ...]:
        rights = rights_by_component(self.admin)
        chosen = [right for name in components for right in rights[name]]
        return needs_of(chosen, watched=(self.namespace,), home=self.namespace)


@pytest.fixture
def stage(client: Client, control_plane: Cluster, namespace: str) -> Stage:
    return Stage(client, control_plane, namespace)


@contextmanager
def running(manager: Manager) -> Iterator[None]:
    manager.start()
    try:
        yield
    finally:
        manager.stop()


def test_director_and_worker_do_exactly_what_their_roles_allow(stage: Stage) -> None:
    recorders = {name: AccessRecorder(ThreadRuntime()) for name in (DIRECTOR, WORKER)}
    with stage.client_of("alice", *DIRECTOR_COMPONENTS) as alice, stage.client_of("bob", WORKER) as bob:
        director = stage.manager(alice.acting_as("windlass", recorders[DIRECTOR]), elects=True)
        worker = stage.manager(bob.acting_as("windlass", recorders[WORKER], Meddler(stage.admin)), elects=False)
        register_director(director, FLOW)
        register_worker(worker, load_jobs(), WorkerOptions(name="worker", job_duration_seconds=0.0))
        check_namespace(director.client, stage.namespace)
        with running(director), running(worker):
            # For the director: a job that is not in its flow. For the worker: one that nobody knows.
            stage.objects.create("not-in-flow", jobs="JOB1", job="JOB2")
            stage.objects.create("unknown", jobs="UNKNOWN", job="UNKNOWN")
            # The second time as after an answer that was lost.
            for _ in range(2):
                own_requests(director, stage.namespace, "first").create_missing(ThreadRuntime().event())
            stage.objects.wait_until_complete("first")
            for name in ("not-in-flow", "unknown"):
                stage.stall_again(name)

    found = {
        name: compare(stage.needs(*components), recorders[name].seen, allowed=UNUSED)
        for name, components in {DIRECTOR: DIRECTOR_COMPONENTS, WORKER: (WORKER,)}.items()
    }
    assert found == {DIRECTOR: Comparison((), ()), WORKER: Comparison((), ())}


def own_requests(manager: Manager, namespace: str, *names: str) -> OwnRequests:
    return OwnRequests(
        names,
        namespace,
        FLOW,
        # As the binary does: every director creates its own requests, whoever leads.
        client=manager.client.acting_as(f"windlass/{DIRECTOR}"),
        clock=manager.clock,
        runtime=manager.runtime,
        on_progress=lambda _: None,
    )


@pytest.mark.parametrize("components", [DIRECTOR_COMPONENTS, (WORKER,)], ids=[DIRECTOR, WORKER])
def test_review_names_exactly_the_one_right_that_is_missing(stage: Stage, components: tuple[str, ...]) -> None:
    needs = stage.needs(*components)
    rights = [need.right for need in needs]
    with stage.client_of("alice", *components) as alice:
        reviews = AccessReviews(alice)

        for missing in needs:
            bind(stage.admin, stage.namespace, "alice", rules_for(right for right in rights if right != missing.right))

            last: list[tuple[Need, ...]] = [()]
            assert wait_until(lambda: named(reviews, needs, last) == (missing,), limit_seconds=30), (  # noqa: B023 - called at once
                f"missing is {missing}, named are {last}"
            )


def named(reviews: AccessReviews, needs: tuple[Need, ...], last: list[tuple[Need, ...]]) -> tuple[Need, ...]:
    last[0] = reviews.missing(needs)
    return last[0]


def test_same_rules_in_a_cluster_role_are_enough_to_watch_all_namespaces(stage: Stage) -> None:
    components = (DIRECTOR, LEADER_ELECTION)
    everywhere = generated_rules(*components, places=["watched", "cluster"])
    rights = [right for name in components for right in rights_by_component(stage.admin)[name]]
    needs = needs_of(rights, watched=("",), home=stage.namespace)
    recorder = AccessRecorder(ThreadRuntime())
    with (
        stage.client_of("alice", LEADER_ELECTION) as alice,
        bound_everywhere(stage.admin, f"{stage.namespace}-director", "alice", everywhere),
    ):
        eventually(lambda: AccessReviews(alice).missing(needs) == (), "nothing is missing")
        director = stage.manager(alice.acting_as("windlass", recorder), elects=True, namespaces=("",))
        register_director(director, FLOW)
        with running(director):
            stage.objects.create("not-in-flow", jobs="JOB1", job="JOB2")
            stage.objects.wait_for("not-in-flow", is_stalled)

    assert compare(needs, recorder.seen).undeclared == ()


def test_processes_need_no_right_beyond_the_generated_roles(
    stage: Stage, windlass: Windlass, control_plane: Cluster
) -> None:
    with stage.client_of("alice", *DIRECTOR_COMPONENTS), stage.client_of("bob", WORKER):
        """Their roles are in force."""
    worker = windlass.worker("-job-duration=0", kubeconfig=control_plane.kubeconfig_for("bob"))

    director = windlass.start("-name=first", kubeconfig=control_plane.kubeconfig_for("alice"))

    assert director.wait() == 0
    assert director.stdout.endswith("complete\n")
    for process in (director, worker):
        assert [log for log in process.logs if log["level"] in {"warning", "error"}] == []
