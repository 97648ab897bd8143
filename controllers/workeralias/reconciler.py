"""From an alias to its canonical object, and back with its status."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import msgspec

from apis.meta import Key, Request, ResourceType
from controllers.reporting.observation import Observation
from controllers.reporting.status_writer import StatusWriter
from controllers.workeralias.mirror import handover_to, mirror_of
from controllers.workeralias.status import CONDITION, Mirrored, mirrored_conditions, mirrored_fields
from framework.apply import OwnedChildren
from framework.client import Client
from framework.listers import Lister
from framework.reconcile import Result

T = TypeVar("T", bound=Mirrored)


class WorkerAliases(Generic[T]):
    def __init__(
        self,
        *,
        aliases: Lister[T],
        canonicals: Lister[T],
        canonical: ResourceType,
        client: Client,
        children: OwnedChildren,
        status: StatusWriter[T],
    ) -> None:
        self._aliases = aliases
        self._canonicals = canonicals
        self._canonical = canonical
        self._client = client
        self._children = children
        self._status = status

    def reconcile(self, request: Request) -> Result:
        alias, content = self._aliases.get(request.key), _content(self._aliases, request.key)
        if alias is None or content is None or alias.metadata.is_being_deleted:
            return Result.await_change()
        found = self._canonicals.get(request.key)
        if found is not None and not _owns(alias, found):
            self._report(alias, None, Observation(CONDITION, "False", "NameTaken", self._taken(found)))
            return Result.await_change()
        if found is not None and not found.metadata.is_being_deleted:
            self._hand_over(found, content)
        wanted = mirror_of(content, _content(self._canonicals, request.key), self._canonical.gvk)
        outcome = self._children.converge(alias, [wanted])
        # Once more: what was written now has a status of before.
        self._report(alias, self._canonicals.get(request.key), self._observed(is_going=bool(outcome.going)))
        return Result.await_change()

    def _hand_over(self, canonical: T, alias: Mapping[str, Any]) -> None:
        live = _content(self._canonicals, canonical.key)
        if live is None or (patch := handover_to(live, alias)) is None:
            return
        metadata = live["metadata"]
        self._client.merge_patch(
            self._canonical,
            canonical.key,
            patch,
            resource_version=metadata["resourceVersion"],
            uid=metadata["uid"],
        )

    def _observed(self, *, is_going: bool) -> Observation:
        if not is_going:
            return Observation(CONDITION, "True", "Applied")
        message = f"the {self._name} is being deleted; another one is made when it is gone"
        return Observation(CONDITION, "False", "BeingDeleted", message)

    def _report(self, alias: T, canonical: T | None, observation: Observation) -> None:
        conditions = mirrored_conditions(alias, canonical)
        self._status.write_among(conditions, alias, observation, **mirrored_fields(alias, canonical))

    def _taken(self, found: T) -> str:
        return f"there is a {self._name} {found.metadata.name} that is not this object's; delete one of them"

    @property
    def _name(self) -> str:
        return f"{self._canonical.gvk.kind} of {self._canonical.gvk.group}"


def _owns(alias: Mirrored, canonical: Mirrored) -> bool:
    return any(each.uid == alias.metadata.uid for each in canonical.metadata.owner_references)


def _content(lister: Lister[T], key: Key) -> dict[str, Any] | None:
    """As the server sent it: what has its default is there only if somebody said it."""
    raw = lister.as_sent(key)
    return None if raw is None else msgspec.json.decode(raw)
