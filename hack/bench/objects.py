"""Makes and changes the RequestStates that are measured with."""

import hashlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from apis.meta import GroupVersionKind, Key, ObjectMeta, ResourceType, Unstructured, resource_type_of
from apis.requeststate.v1 import RequestState, RequestStateSpec, State
from framework.client import Client

THREADS = 4
_SAMPLE = -1
_SAMPLE_NOTES = 10
_NOTE_BYTES = 48


def create_namespace(client: Client, name: str) -> None:
    kind = ResourceType(GroupVersionKind("", "v1", "Namespace"), "namespaces", "Cluster")
    content = {"metadata": {"name": name}}
    client.create(Unstructured(metadata=ObjectMeta(name=name), content=content), kind=kind)


def create_requests(client: Client, namespace: str, count: int, *, kib: float) -> None:
    """Make *count* objects that, with a status, are about *kib* KiB of JSON each."""
    notes = _notes_for(client, namespace, kib)
    _in_threads(lambda number: client.create(a_request(namespace, number, notes)), range(count))


def patch_requests(client: Client, namespace: str, count: int, value: int) -> None:
    """Change the status of the first *count* objects; *value* must be one that they do not have."""
    _in_threads(lambda number: patch_request(client, namespace, number, value), range(count))


def patch_request(client: Client, namespace: str, number: int, value: int) -> None:
    status = {"status": {"observedGeneration": value}}
    client.merge_patch(RequestState, Key(namespace, _name(number)), status, subresource="status")


def a_request(namespace: str, number: int, notes: int) -> RequestState:
    """An object with as many *notes*, which make it larger."""
    metadata = ObjectMeta(
        name=_name(number),
        namespace=namespace,
        labels={"app.kubernetes.io/part-of": "bench", "shard": str(number % 16)},
        annotations={f"bench/note-{note:03}": _note(number, note) for note in range(notes)},
    )
    spec = RequestStateSpec(request_uid=f"{namespace}-{number}", job="JOB1", state=State.REQUESTED)
    return RequestState(metadata=metadata, spec=spec)


def _note(number: int, note: int) -> str:
    # Different in each object, so that nothing on the way can share or compress it.
    return hashlib.shake_256(f"{number}/{note}".encode()).hexdigest(_NOTE_BYTES // 2)


def _notes_for(client: Client, namespace: str, kib: float) -> int:
    """How many notes an object of *kib* KiB has; many small ones, as large objects are rarely one long text."""
    bare, with_some = (_stored_bytes(client, namespace, notes) for notes in (0, _SAMPLE_NOTES))
    bytes_per_note = (with_some - bare) / _SAMPLE_NOTES
    return max(0, round((kib * 1024 - bare) / bytes_per_note))


def _stored_bytes(client: Client, namespace: str, notes: int) -> int:
    client.create(a_request(namespace, _SAMPLE, notes))
    patch_request(client, namespace, _SAMPLE, 1)
    key = Key(namespace, _name(_SAMPLE))
    size = len(client.raw_get(resource_type_of(RequestState).path(*key)))
    client.delete(RequestState, key)
    return size


def _name(number: int) -> str:
    return f"request-{number:06}" if number >= 0 else "sample"


def _in_threads(work: Callable[[int], Any], numbers: Iterable[int]) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in pool.map(work, numbers):
            # The first failure is raised here.
            pass
