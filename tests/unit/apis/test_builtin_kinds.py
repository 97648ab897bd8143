"""Kinds of the server decode what the server sends."""

import msgspec
import pytest

from apis.coordination.v1 import Lease
from apis.core.v1 import ConfigMap, Namespace, Pod, Secret, Service
from apis.events.v1 import Event
from apis.meta import KubeObject, declaration_of, resource_type_of

KINDS = (Namespace, ConfigMap, Secret, Pod, Service, Lease, Event)


@pytest.mark.parametrize("cls", KINDS, ids=lambda cls: cls.__name__)
def test_a_kind_of_the_server_decodes_from_metadata_alone(cls: type[KubeObject]) -> None:
    decoded = msgspec.json.decode(b'{"metadata":{"name":"a","creationTimestamp":null}}', type=cls)

    assert decoded.key.name == "a"
    assert declaration_of(cls).builtin


@pytest.mark.parametrize(
    ("cls", "path"),
    [
        (Namespace, "/api/v1/namespaces/a"),
        (Secret, "/api/v1/namespaces/ns/secrets/a"),
        (Lease, "/apis/coordination.k8s.io/v1/namespaces/ns/leases/a"),
        (Event, "/apis/events.k8s.io/v1/namespaces/ns/events/a"),
    ],
)
def test_a_kind_of_the_server_is_where_the_server_has_it(cls: type[KubeObject], path: str) -> None:
    assert resource_type_of(cls).path("ns", "a") == path


def test_the_values_of_a_secret_are_bytes_and_are_not_shown() -> None:
    secret = msgspec.json.decode(b'{"metadata":{"name":"a"},"type":"Opaque","data":{"key":"aHVzaA=="}}', type=Secret)

    assert secret.data == {"key": b"hush"}
    assert "hush" not in repr(secret)


def test_a_pod_with_null_times_in_its_conditions_decodes() -> None:
    text = b'{"status":{"podIP":"10.0.0.1","conditions":[{"type":"Ready","status":"True","lastTransitionTime":null}]}}'

    pod = msgspec.json.decode(text, type=Pod)

    assert (pod.status.pod_ip, pod.status.conditions[0].type) == ("10.0.0.1", "Ready")


def test_the_times_of_a_lease_are_written_as_they_were_read() -> None:
    text = b'{"spec":{"holderIdentity":"me","renewTime":"2025-01-02T03:04:05.000000Z"}}'

    assert msgspec.json.encode(msgspec.json.decode(text, type=Lease)) == text


def test_an_event_of_an_older_recorder_decodes() -> None:
    event = msgspec.json.decode(b'{"eventTime":null,"regarding":{"kind":"Pod","name":"a"}}', type=Event)

    assert (event.event_time, event.regarding.name) == (None, "a")
