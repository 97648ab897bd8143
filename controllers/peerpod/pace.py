"""What this process remembers of a PeerPod between two attempts; lost with it without harm."""

from datetime import datetime

import msgspec

from apis.confidentialcontainers.peerpod import PeerPod
from apis.meta import Key
from controllers.peerpods.names import RETRY


class Failure(msgspec.Struct, frozen=True):
    """For the status."""

    reason: str
    message: str
    at: datetime
    # An attempt that failed, and not merely one that has to be looked at again.
    counts: bool = True


class Pace(msgspec.Struct):
    uid: str
    # On the monotonic clock: since when it is to be deleted, and when to try next.
    since: float
    due: float
    # Another token means that another attempt may end in another way: then the time to wait is over.
    token: tuple[str, ...] = ()
    failures: int = 0
    unwritten: Failure | None = None
    # When people were last told of a reason, on the monotonic clock.
    told_at: dict[str, float] = msgspec.field(default_factory=dict)

    def is_told(self, reason: str, now: float, seconds: float) -> bool:
        """Whether that was said within the last *seconds*; if not, it is said now."""
        told_at = self.told_at.get(reason)
        if told_at is not None and now - told_at < seconds:
            return True
        self.told_at[reason] = now
        return False


class Paces:
    """By key: only the reconcile of its PeerPod touches an entry."""

    def __init__(self) -> None:
        self._paces: dict[Key, Pace] = {}

    def of(self, peer_pod: PeerPod, versions: tuple[str, ...], now: float) -> Pace:
        uid = peer_pod.metadata.uid
        pace = self._paces.get(peer_pod.key)
        if pace is None or pace.uid != uid:
            pace = self._paces[peer_pod.key] = Pace(uid, since=now, due=now)
        token = (str(peer_pod.metadata.generation), peer_pod.metadata.annotations.get(RETRY, ""), *versions)
        if pace.token != token:
            pace.token, pace.due, pace.failures = token, now, 0
        return pace

    def forget(self, key: Key) -> None:
        self._paces.pop(key, None)
