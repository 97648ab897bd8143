"""Leases: plain optimistic locking, and times to the microsecond."""

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import lease, leases

pytestmark = pytest.mark.behaviour("B46")
TIME = "2026-01-02T03:04:05.678901Z"


def test_times_keep_their_microseconds(api: Api, namespace: str) -> None:
    created = api.create(leases(namespace), lease(acquireTime=TIME, renewTime=TIME)).ok

    assert (created["spec"]["acquireTime"], created["spec"]["renewTime"]) == (TIME, TIME)


def test_times_without_microseconds_are_refused(api: Api, namespace: str) -> None:
    reply = api.create(leases(namespace), lease(renewTime="2026-01-02T03:04:05Z"))

    time = 'parsing time "2026-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00"'
    why = f'Lease in version "v1" cannot be handled as a Lease: {time}: cannot parse "Z" as ".000000"'
    assert reply.error == (400, "BadRequest", why)


def test_of_two_who_saw_the_same_version_one_wins(api: Api, namespace: str) -> None:
    seen = api.create(leases(namespace), lease(holderIdentity="", leaseDurationSeconds=15)).ok

    first = api.put(leases(namespace, "one"), {**seen, "spec": {**seen["spec"], "holderIdentity": "first"}})
    second = api.put(leases(namespace, "one"), {**seen, "spec": {**seen["spec"], "holderIdentity": "second"}})

    assert (first.status, second.status) == (200, 409)
    assert api.get(leases(namespace, "one")).ok["spec"]["holderIdentity"] == "first"


def test_nobody_watches_over_its_duration(api: Api, namespace: str) -> None:
    obj = api.create(leases(namespace), lease(holderIdentity="me", leaseDurationSeconds=1, renewTime=TIME)).ok

    assert api.get(leases(namespace, "one")).ok == obj


@pytest.mark.parametrize("seconds", [0, -1])
def test_a_duration_is_positive(api: Api, namespace: str, seconds: int) -> None:
    reply = api.create(leases(namespace), lease(leaseDurationSeconds=seconds))

    why = f"spec.leaseDurationSeconds: Invalid value: {seconds}: must be greater than 0"
    assert reply.error == (422, "Invalid", f'Lease.coordination.k8s.io "one" is invalid: {why}')


def test_a_time_that_is_none_is_a_bad_request(api: Api, namespace: str) -> None:
    reply = api.create(leases(namespace), lease(renewTime="soon"))

    assert (reply.status, reply.reason) == (400, "BadRequest")
