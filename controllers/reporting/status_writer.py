"""Writes a status where it differs, and tells of problems that come and go."""

from collections.abc import Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from apis.meta import Condition, KubeObject
from controllers.reporting.merge_patch import patch_between
from controllers.reporting.observation import Observation
from controllers.reporting.recorder import Recorder
from framework.client import Client
from framework.clock import Clock
from framework.conditions import find_condition, observed_condition, with_condition


class _Status(Protocol):
    @property
    def conditions(self) -> Sequence[Condition]: ...


T = TypeVar("T", bound=KubeObject)


class StatusWriter(Generic[T]):
    """*problems* are the reasons of conditions that somebody should look at; *losses*, if it was True before.

    A field among *explicit*, whose default is None, is written also when it is false: some want to see that it is.
    """

    def __init__(
        self,
        client: Client,
        recorder: Recorder,
        clock: Clock,
        *,
        problems: frozenset[str],
        action: str,
        losses: frozenset[str] = frozenset(),
        explicit: frozenset[str] = frozenset(),
    ) -> None:
        self._client = client
        self._recorder = recorder
        self._clock = clock
        self._problems = problems
        self._losses = losses
        self._action = action
        self._explicit = explicit

    def write(self, obj: T, *observations: Observation, **fields: Any) -> T:
        """*obj* with these observations and *fields*, by their JSON names, in its status; a Conflict if it changed."""
        status: _Status = obj.status  # type: ignore[attr-defined] # every kind with conditions has one
        return self.write_among(status.conditions, obj, *observations, **fields)

    def write_among(self, others: Sequence[Condition], obj: T, *observations: Observation, **fields: Any) -> T:
        """As `write`, with *others* in place of the conditions that *obj* has."""
        status: _Status = obj.status  # type: ignore[attr-defined] # as above
        conditions = list(others)
        for each in observations:
            wanted = observed_condition(
                obj, each.type, each.status, reason=each.reason, message=each.message, now=self._clock.now()
            )
            conditions = with_condition(conditions, wanted)
        # In the same order whatever came first, so that the way to a status does not show in it.
        conditions.sort(key=lambda each: each.type)
        wanted_fields = _plain({**fields, "conditions": conditions})
        present = msgspec.to_builtins(status)
        patch = patch_between(present, wanted_fields)
        for name in sorted(self._explicit & wanted_fields.keys()):
            if present.get(name) != wanted_fields[name]:
                patch[name] = wanted_fields[name]
        if not patch:
            return obj
        written = self._client.patch_status(obj, patch)
        for each in observations:
            self._tell(written, find_condition(status.conditions, each.type), each)
        return written

    def _tell(self, obj: T, before: Condition | None, now: Observation) -> None:
        is_news = before is None or (before.status, before.reason) != (now.status, now.reason)
        is_loss = now.reason in self._losses and before is not None and before.status == "True"
        if now.reason in self._problems or is_loss:
            if is_news:
                self._recorder.record(obj, "Warning", now.reason, now.message, action=self._action)
        elif before is not None and before.reason in self._problems | self._losses and now.reason not in self._losses:
            note = now.message or f"{now.type} is {now.status}"
            self._recorder.record(obj, "Normal", now.reason, note, action=self._action)


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """As JSON has it: a tuple is no list to who compares, and would be written again and again."""
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(fields))
    return plain
