"""RequestStates of about one KiB, as JSON, and the ways to write them."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec
import yaml

from hack.bench.apiserver.wire import MERGE, Wire

NAMESPACE = "bench"
_CRD = Path(__file__).resolve().parents[3] / "crds" / "com.redhat.ecosystem.sample_requeststates.yaml"
_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_GROUP = "com.redhat.ecosystem.sample/v1"
COLLECTION = f"/apis/{_GROUP}/namespaces/{NAMESPACE}/requeststates"
_NOTES = 7


def install(wire: Wire) -> None:
    """The namespace and the definition, which is served when this returns."""
    wire.send("POST", "/api/v1/namespaces", msgspec.json.encode({"metadata": {"name": NAMESPACE}}))
    definition = yaml.safe_load(_CRD.read_text())
    wire.send("POST", _DEFINITIONS, msgspec.json.encode(definition))
    while not _is_established(wire, definition["metadata"]["name"]):
        pass


def _is_established(wire: Wire, name: str) -> bool:
    definition = msgspec.json.decode(wire.send("GET", f"{_DEFINITIONS}/{name}"))
    conditions = (definition.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


def a_request(number: int) -> bytes:
    return msgspec.json.encode(
        {
            "apiVersion": _GROUP,
            "kind": "RequestState",
            "metadata": {
                "name": name_of(number),
                "labels": {"app.kubernetes.io/part-of": "bench", "shard": str(number % 16)},
                "annotations": {f"bench/note-{note}": _note(number, note) for note in range(_NOTES)},
            },
            "spec": {"request-uid": f"bench-{number}", "job": "JOB1", "state": "REQUESTED"},
        }
    )


def name_of(number: int) -> str:
    return f"request-{number:06}"


def create(wire: Wire, number: int) -> bytes:
    return wire.send("POST", COLLECTION, a_request(number))


def changed(created: bytes) -> bytes:
    """The body of an update of what *create* has answered."""
    obj: dict[str, Any] = msgspec.json.decode(created)
    obj["metadata"]["annotations"]["bench/note-0"] = "changed"
    return msgspec.json.encode(obj)


def update(wire: Wire, number: int, body: bytes) -> bytes:
    return wire.send("PUT", f"{COLLECTION}/{name_of(number)}", body)


def patch_status(wire: Wire, number: int, value: int) -> bytes:
    patch = b'{"status":{"observedGeneration":%d}}' % value
    return wire.send("PATCH", f"{COLLECTION}/{name_of(number)}/status", patch, MERGE)


def _note(number: int, note: int) -> str:
    # Different in each object, so that nothing on the way can share or compress it.
    return hashlib.shake_256(f"{number}/{note}".encode()).hexdigest(20)
