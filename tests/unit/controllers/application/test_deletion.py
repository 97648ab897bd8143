"""How long an Application that cannot go keeps silent."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from apis.laf.application import Application, ApplicationStatus, Phase
from apis.meta import ObjectMeta
from controllers.application.deletion import Deletion
from controllers.application.removal import Removal
from controllers.reporting.observation import Observation
from framework.reconcile import Result

DELETED = datetime(2026, 11, 17, tzinfo=UTC)


class Told:
    """What the status says, and the warnings."""

    def __init__(self) -> None:
        self.conditions: list[tuple[str, str]] = []
        self.warnings: list[str] = []

    def write(self, application: Application, _phase: Phase | None, *seen: Observation, **_fields: Any) -> Application:
        self.conditions += [(each.type, each.reason) for each in seen]
        return application

    def warn(self, _application: Application, reason: str, _note: str) -> None:
        self.warnings.append(reason)


class Kept:
    """An Instance that does not go."""

    def remove(self, _application: Application) -> Removal:
        return Removal.LEAVING


class At:
    def __init__(self, seconds: float) -> None:
        self._now = DELETED + timedelta(seconds=seconds)

    def now(self) -> datetime:
        return self._now


@pytest.mark.parametrize(("seconds", "warnings"), [(0.0, []), (59.0, []), (60.0, ["DeletionBlocked"])])
def test_a_deletion_that_is_held_up_is_told_after_a_minute(seconds: float, warnings: list[str]) -> None:
    metadata = ObjectMeta(name="shop", namespace="tenant", deletion_timestamp=DELETED)
    application = Application(metadata=metadata, status=ApplicationStatus(state=Phase.RUNNING))
    told, nothing = Told(), cast("Any", None)
    deletion = Deletion(
        instances=cast("Any", Kept()),
        dependencies=nothing,
        status=cast("Any", told),
        finalizer=nothing,
        client=nothing,
        clock=cast("Any", At(seconds)),
    )

    result = deletion.run(application)

    assert told.conditions == [("Ready", "WaitingForInstanceDeletion")]
    assert told.warnings == warnings
    assert result == Result.after(60.0)
