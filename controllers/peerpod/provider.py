"""What a plugin for one cloud offers: the entry-point group `peerpods.cloud_providers` names such classes.

A plugin deletes; it never creates. It reads nothing but what it is handed: neither the environment nor files, except
that an SDK may find an identity of the machine when no static credential is given.
"""

from collections.abc import Mapping
from typing import ClassVar, Literal, Protocol, runtime_checkable

import msgspec

ENTRY_POINT_GROUP = "peerpods.cloud_providers"
NAME_PREFIX = "podvm-"


class Hints(msgspec.Struct, frozen=True):
    """What is known of the VM beside its id."""

    pod_namespace: str = ""
    pod_name: str = ""
    peer_pod_age_seconds: float = 0.0
    name_guard: Literal["enforce", "warn", "off"] = "enforce"


class Note(msgspec.Struct, frozen=True):
    """Something that the user should be told by an event, whatever the outcome."""

    reason: str
    message: str
    is_warning: bool = True


class Accepted(msgspec.Struct, frozen=True):
    """The cloud took the deletion over: it is going, or will be gone."""

    notes: tuple[Note, ...] = ()


class Gone(msgspec.Struct, frozen=True):
    """There was no such VM any more."""

    notes: tuple[Note, ...] = ()


class InProgress(msgspec.Struct, frozen=True):
    """Ask again later: it is not sure yet that the VM goes."""

    after_seconds: float
    notes: tuple[Note, ...] = ()


Outcome = Accepted | Gone | InProgress


class ProviderError(Exception):
    """Why a VM was not deleted. No text of these may hold a credential: `redacted` is applied to what SDKs say."""


class SettingsMissing(ProviderError):
    def __init__(self, *keys: str) -> None:
        super().__init__(f"missing settings: {', '.join(keys)}")
        self.keys = keys


class AuthFailed(ProviderError):
    pass


class Throttled(ProviderError):
    def __init__(self, message: str, after_seconds: float = 0.0) -> None:
        super().__init__(message)
        self.after_seconds = after_seconds


class Busy(ProviderError):
    def __init__(self, message: str, after_seconds: float = 15.0) -> None:
        super().__init__(message)
        self.after_seconds = after_seconds


class Transient(ProviderError):
    pass


class Permanent(ProviderError):
    """*reason* is that of the condition: DeletionRefused, NotAPodVM, InvalidInstanceID."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class InvalidInstanceID(Permanent):
    def __init__(self, message: str) -> None:
        super().__init__("InvalidInstanceID", message)


@runtime_checkable
class CloudProvider(Protocol):
    """One client of one cloud, made from one set of settings; used by several threads at a time."""

    name: ClassVar[str]
    # The pip extra that brings its SDK; empty for plugins of others.
    extra: ClassVar[str]
    settings_keys: ClassVar[tuple[str, ...]]
    secret_keys: ClassVar[tuple[str, ...]]
    location_keys: ClassVar[tuple[str, ...]]

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Connects to nothing; SettingsMissing if what is there is not enough, AuthFailed if it is nonsense."""

    def validate_instance_id(self, instance_id: str) -> None:
        """InvalidInstanceID if no VM of this cloud can have such an id."""

    def delete(self, instance_id: str, hints: Hints, timeout_seconds: float) -> Outcome:
        """Delete the VM and what belongs to it alone, or raise a ProviderError; again and again without harm.

        The SDK's own retries are off (the caller retries), its time-outs 5 s to connect and 20 s to read at most, and
        nothing goes on for longer than *timeout_seconds* and 5 s more.
        """

    def close(self) -> None:
        """Give back connections; the client is not used after that."""


def guard_name(vm_name: str, hints: Hints) -> tuple[Note, ...]:
    """Refuse a VM that no adaptor has made: else whoever can write a PeerPod could delete any VM of the account."""
    if hints.name_guard == "off" or vm_name.startswith(NAME_PREFIX):
        return ()
    why = f"the VM is called {vm_name!r}, not {NAME_PREFIX}…, so it was not made for a pod"
    if hints.name_guard == "enforce":
        raise Permanent("NotAPodVM", f"{why}; it is left alone")
    return (Note("NotAPodVM", f"{why}; it is deleted all the same, as -instance-name-guard=warn says"),)
