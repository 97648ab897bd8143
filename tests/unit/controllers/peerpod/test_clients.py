"""Clients are used again; one that is not wanted any more is closed when its last user is done."""

from collections.abc import Mapping
from typing import ClassVar

import pytest

from controllers.peerpod.clients import Clients, fingerprint
from controllers.peerpod.provider import Accepted, Hints, Outcome, SettingsMissing, Transient
from framework.runtime import ThreadRuntime


class Provider:
    name: ClassVar[str] = "test"
    extra: ClassVar[str] = ""
    settings_keys: ClassVar[tuple[str, ...]] = ("KEY",)
    secret_keys: ClassVar[tuple[str, ...]] = ("KEY",)
    location_keys: ClassVar[tuple[str, ...]] = ()

    def __init__(self, settings: Mapping[str, str]) -> None:
        if "KEY" not in settings:
            raise SettingsMissing("KEY")
        self.closed = 0

    def validate_instance_id(self, instance_id: str) -> None:
        """Any will do."""

    def delete(self, instance_id: str, hints: Hints, timeout_seconds: float) -> Outcome:  # noqa: ARG002 - the contract
        return Accepted()

    def close(self) -> None:
        self.closed += 1


class Broken(Provider):
    def __init__(self, settings: Mapping[str, str]) -> None:
        raise ZeroDivisionError(len(settings))


@pytest.fixture
def clients() -> Clients:
    return Clients(ThreadRuntime(), most=2)


def use(clients: Clients, key: str, origin: str = "") -> Provider:
    with clients.lease(Provider, {"KEY": key}, origin or key) as client:
        assert isinstance(client, Provider)
        return client


def test_the_fingerprint_is_of_what_counts_and_tells_nothing() -> None:
    one = fingerprint(Provider, {"KEY": "secret", "OTHER": "1"})

    assert one == fingerprint(Provider, {"OTHER": "2", "KEY": "secret"})
    assert one != fingerprint(Provider, {"KEY": "secret2"})
    assert "secret" not in one


def test_the_same_settings_have_the_same_client(clients: Clients) -> None:
    assert use(clients, "a") is use(clients, "a")


def test_the_one_that_was_not_used_for_longest_makes_room(clients: Clients) -> None:
    a, b = use(clients, "a"), use(clients, "b")
    use(clients, "a")

    use(clients, "c")

    assert (a.closed, b.closed) == (0, 1)


def test_one_that_is_in_use_is_closed_afterwards(clients: Clients) -> None:
    with clients.lease(Provider, {"KEY": "a"}) as client:
        assert isinstance(client, Provider)
        clients.drop(fingerprint(Provider, {"KEY": "a"}))
        assert client.closed == 0

    assert client.closed == 1
    assert use(clients, "a") is not client


def test_one_that_is_stuck_is_closed_at_once_and_only_once(clients: Clients) -> None:
    with clients.lease(Provider, {"KEY": "a"}) as client:
        assert isinstance(client, Provider)
        clients.close_now(fingerprint(Provider, {"KEY": "a"}))
        assert client.closed == 1

    assert client.closed == 1


def test_other_credentials_of_one_origin_replace_the_client(clients: Clients) -> None:
    old = use(clients, "old", origin="here")

    use(clients, "new", origin="here")

    assert old.closed == 1


def test_a_constructor_that_fails_otherwise_is_a_failure_that_passes(clients: Clients) -> None:
    with pytest.raises(Transient, match="ZeroDivisionError"), clients.lease(Broken, {}):
        pass


def test_settings_that_are_not_enough_leave_nothing_behind(clients: Clients) -> None:
    with pytest.raises(SettingsMissing), clients.lease(Provider, {}):
        pass

    assert use(clients, "a").closed == 0
