"""Which Application has an appid, if several ask for the same one."""

from collections.abc import Collection
from datetime import UTC, datetime

from apis.laf.application import Application
from apis.meta import Key
from framework.listers import Lister
from framework.runtime import Runtime

APPID_INDEX = "application/appid"
_NEVER = datetime.max.replace(tzinfo=UTC)


class AppIds:
    """Decides one at a time, and remembers: who has been told that it has an appid keeps it.

    After a restart the phase tells the same, for it is written before
    anything is made for an Application.
    """

    def __init__(self, applications: Lister[Application], runtime: Runtime) -> None:
        self._applications = applications
        self._lock = runtime.lock()
        # Uid of the one that has it, by appid; and under which appid each was last seen.
        self._claims: dict[str, str] = {}
        self._appids: dict[Key, str] = {}

    def owner(self, appid: str) -> Application | None:
        with self._lock:
            found = owner_of(self._applications.by_index(APPID_INDEX, appid), self._claims.get(appid, ""))
            if found is not None:
                self._claims[appid] = found.metadata.uid
                self._appids[found.key] = appid
            return found

    def forget(self, key: Key) -> None:
        """There is no Application *key* any more."""
        with self._lock:
            appid = self._appids.pop(key, None)
            if appid is not None:
                self._claims.pop(appid, None)


def owner_of(candidates: Collection[Application], claimed_by: str) -> Application | None:
    """Who was told so, else who has a phase, else the oldest; one that goes and has neither never began."""
    for group in (
        [each for each in candidates if each.metadata.uid == claimed_by],
        [each for each in candidates if each.status.state is not None],
        [each for each in candidates if not each.metadata.is_being_deleted],
    ):
        if group:
            return min(group, key=_age)
    return None


def _age(application: Application) -> tuple[datetime, Key]:
    return application.metadata.creation_timestamp or _NEVER, application.key
