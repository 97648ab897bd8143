"""RequestStates as the tests make and read them."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from apis.meta import Key, ObjectMeta
from apis.requeststate.v1 import RequestState, RequestStateSpec, State
from framework.client import Client
from framework.conditions import find_condition, is_true
from framework.errors import NotFound
from framework.testing.control_plane.waiting import wait_until
from framework.testing.relay import SeenRequest

LIMIT_SECONDS = 90.0
JOBS_ANNOTATION = "requeststate.windlass.dev/jobs"
TWO_JOBS = [("JOB1", "STARTED"), ("JOB1", "COMPLETED"), ("JOB2", "STARTED"), ("JOB2", "COMPLETED")]


class Objects:
    """The RequestStates of one namespace."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace

    def create(self, name: str, jobs: str | None = None, job: str = "JOB1") -> RequestState:
        annotations = {} if jobs is None else {JOBS_ANNOTATION: jobs}
        return self.client.create(
            RequestState(
                metadata=ObjectMeta(name=name, namespace=self.namespace, annotations=annotations),
                spec=RequestStateSpec(request_uid=f"uid-of-{name}", job=job, state=State.REQUESTED),
            )
        )

    def get(self, name: str) -> RequestState:
        return self.client.get(RequestState, Key(self.namespace, name))

    def all(self) -> list[RequestState]:
        return self.client.list(RequestState, self.namespace)

    def edit_status(self, name: str, status: dict[str, Any]) -> None:
        """As `kubectl edit --subresource=status` would."""
        self.client.merge_patch(RequestState, Key(self.namespace, name), {"status": status}, subresource="status")

    def delete(self, name: str) -> None:
        self.client.delete(RequestState, Key(self.namespace, name))

    def wait_for(
        self, name: str, predicate: Callable[[RequestState], bool], limit: float = LIMIT_SECONDS
    ) -> RequestState:
        last: list[RequestState] = []

        def look() -> bool:
            try:
                last[:] = [self.get(name)]
            except NotFound:
                return False
            return predicate(last[0])

        assert wait_until(look, limit_seconds=limit), f"{name} did not get there within {limit} s: {last}"
        return last[0]

    def wait_until_complete(self, name: str, limit: float = LIMIT_SECONDS) -> RequestState:
        return self.wait_for(name, is_complete, limit)

    def wait_until_created(self, name: str) -> RequestState:
        return self.wait_for(name, lambda one: one.metadata.name == name)

    def wait_until_started(self, name: str) -> RequestState:
        return self.wait_for(name, lambda one: one.spec.state is State.STARTED)


def is_complete(request_state: RequestState) -> bool:
    return is_true(request_state.status.conditions, "Complete")


def is_stalled(request_state: RequestState) -> bool:
    return is_true(request_state.status.conditions, "Stalled")


def reason_of(request_state: RequestState, condition: str) -> str:
    found = find_condition(request_state.status.conditions, condition)
    return found.reason if found else ""


def transitions(request_state: RequestState) -> list[tuple[str, str]]:
    return [(entry.job, str(entry.state)) for entry in request_state.status.history]


def repeated(request_state: RequestState) -> list[tuple[str, str]]:
    return [transition for transition, times in Counter(transitions(request_state)).items() if times > 1]


def is_write(request: SeenRequest) -> bool:
    return request.method in {"POST", "PATCH", "PUT", "DELETE"} and "/requeststates" in request.path


def is_write_of(name: str) -> Callable[[SeenRequest], bool]:
    return lambda request: is_write(request) and f"/requeststates/{name}" in request.path
