"""Tells the caches of one cluster what this process wrote there."""

from typing import Any

import structlog

from apis.meta import Key, ResourceType
from framework.client import Access, Client, Observer
from framework.clock import Clock
from framework.errors import ConnectError, LeadershipLost, ServerError, TlsError, TransportError, WindlassError
from framework.own_writes.answer import Effect, Touched, Written, effects_of
from framework.own_writes.echoes import Echoes, Made
from framework.own_writes.overlay import Overlay
from framework.own_writes.reconcile_scope import Write, current_reconcile, recording
from framework.own_writes.truth import ask
from framework.runtime import Runtime

# About so many keys of one cache the server is asked at a time: one that is far behind must not be a burden to it.
_ASKS = 20

_log = structlog.get_logger("windlass.own_writes")


class OwnWrites(Observer):
    """One for each cluster; *client* is asked when a cache does not tell.

    Every cache of the process sees the writes of all its controllers: what one of them
    did is as true for the others.
    """

    def __init__(self, client: Client, *, clock: Clock, runtime: Runtime) -> None:
        self._client = client
        self._clock = clock
        self._lock = runtime.lock()
        # Replaced as a whole under _lock, read without.
        self._overlays: dict[ResourceType, tuple[Overlay[Any], ...]] = {}
        # By the identity of an access under way: which objects were at its key when it was sent.
        self._known: dict[int, tuple[str, ...]] = {}
        self.echoes = Echoes(runtime)

    def add(self, resource_type: ResourceType, overlay: Overlay[Any]) -> None:
        with self._lock:
            others = self._overlays.get(resource_type, ())
            self._overlays = {**self._overlays, resource_type: (*others, overlay)}

    def remove(self, resource_type: ResourceType, overlay: Overlay[Any]) -> None:
        with self._lock:
            others = tuple(each for each in self._overlays.get(resource_type, ()) if each is not overlay)
            kept = {each: overlays for each, overlays in self._overlays.items() if each != resource_type}
            self._overlays = {**kept, resource_type: others} if others else kept

    @property
    def overlays(self) -> list[tuple[ResourceType, Overlay[Any]]]:
        return [(resource_type, each) for resource_type, several in self._overlays.items() for each in several]

    @property
    def is_interested(self) -> bool:
        return bool(self._overlays) and recording()

    def sending(self, access: Access) -> None:
        overlays = () if access.is_read or not access.name else self._overlays_for(access)
        if overlays:
            key = Key(access.namespace, access.name)
            # Should this write end an object, then whatever else was here before is gone as well.
            self._known[id(access)] = tuple(uid for each in overlays for uid in each.known_uids(key))

    def answered(self, access: Access, answer: bytes) -> None:
        if access.is_read:
            return
        known = self._known.pop(id(access), ())
        overlays = self._overlays_for(access)
        if not overlays:
            return
        try:
            for effect in effects_of(access, answer):
                for overlay in overlays:
                    overlay.record(effect, known)
                self._note(access, effect)
        except Exception as error:  # noqa: BLE001 - the write was made: nothing may keep its answer from the caller
            _log.warning("write_answer_not_understood", verb=access.verb, object=access.name, error=str(error))
            self._note_uncertain(access)

    def failed(self, access: Access, error: Exception) -> None:
        self._known.pop(id(access), None)
        was_cut_off = isinstance(error, LeadershipLost) and error.may_have_been_made
        may_have_been_made = isinstance(error, TransportError | ServerError) or was_cut_off
        was_not_sent = isinstance(error, ConnectError | TlsError)
        if not access.is_read and may_have_been_made and not was_not_sent and self._overlays_for(access):
            self._note_uncertain(access)

    def has_passed(self, write: Write) -> bool:
        """Whether every cache shows *write*; about an uncertain one the server is asked, here and now."""
        overlays = self._overlays.get(write.resource_type, ())
        if write.is_certain:
            return all(overlay.has_passed(write) for overlay in overlays)
        try:
            return all(self._agrees(overlay, write) for overlay in overlays)
        except WindlassError as error:
            _log.warning("own_write_not_verified", object=str(write.key), error=str(error))
            return False

    def settle(self, age_seconds: float) -> None:
        """Ask the server about all that has been pending for so long.

        A write that a cache does not see for so long is one outside of what it
        watches, on a resource without bookmarks, or lost with the server's data.
        """
        for resource_type, overlay in self.overlays:
            try:
                self._settle(resource_type, overlay, age_seconds)
            except WindlassError as error:
                _log.warning("own_writes_not_settled", cache=overlay.name, error=str(error))

    def _overlays_for(self, access: Access) -> tuple[Overlay[Any], ...]:
        """Who wants to know of *access*: nobody, if the reconcile that makes it wants nothing of this."""
        overlays = self._overlays.get(access.resource_type, ())
        return overlays if overlays and recording() else ()

    def _settle(self, resource_type: ResourceType, overlay: Overlay[Any], age_seconds: float) -> None:
        for stream in overlay.unclear_streams(age_seconds):
            asked_at = self._clock.monotonic()
            overlay.settle_stream(stream, ask(self._client, resource_type, Key(stream, ""), overlay.scope), asked_at)
        for key in overlay.overdue(age_seconds)[:_ASKS]:
            asked_at = self._clock.monotonic()
            overlay.settle(key, ask(self._client, resource_type, key, overlay.scope), asked_at)

    def _agrees(self, overlay: Overlay[Any], write: Write) -> bool:
        if write.bound and overlay.has_come_to(write.key, write.bound):
            return True
        truth = ask(self._client, write.resource_type, write.key, overlay.scope)
        # The oldest answer suffices: the write had been made by then, if ever.
        write.bound = write.bound or truth.version
        return overlay.agrees_with(write.key, truth)

    def _note(self, access: Access, effect: Effect) -> None:
        reconcile = current_reconcile()
        if reconcile is None:
            return
        if reconcile.mode == "gate":
            version = effect.version if isinstance(effect, Written | Touched) else 0
            reconcile.writes.append(Write(self, access.resource_type, effect.key, effect.uid, version))
        if isinstance(effect, Written) and (access.verb == "create" or access.resource_version):
            base = int(access.resource_version or 0)
            if effect.version > base:
                made = Made(effect.uid, base, effect.version)
                self.echoes.note(made, reconcile.controller, reconcile.request)

    def _note_uncertain(self, access: Access) -> None:
        reconcile = current_reconcile()
        if reconcile is not None:
            key = Key(access.namespace, access.name or access.made_name)
            reconcile.writes.append(Write(self, access.resource_type, key, is_certain=False))
