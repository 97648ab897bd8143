"""Events, no more often than anybody wants to read them."""

from apis.meta import KubeObject
from controllers.reporting.recorder import Recorder
from framework.clock import Clock
from framework.events import EventType

_PAUSE_SECONDS = 300.0


class Announcements:
    """At most one in five minutes about one object for one reason."""

    def __init__(self, recorder: Recorder, clock: Clock, *, action: str) -> None:
        self._recorder = recorder
        self._clock = clock
        self._action = action
        # When the last one was told, by uid and reason.
        self._told: dict[tuple[str, str], float] = {}

    def tell(self, about: KubeObject, event_type: EventType, reason: str, note: str) -> None:
        key, now = (about.metadata.uid, reason), self._clock.monotonic()
        if key in self._told and now < self._told[key] + _PAUSE_SECONDS:
            return
        self._told[key] = now
        self._recorder.record(about, event_type, reason, note, action=self._action)

    def forget_all_but(self, uids: frozenset[str]) -> None:
        self._told = {key: at for key, at in self._told.items() if key[0] in uids}
