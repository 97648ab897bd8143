"""A real server made ready for a scenario, and cleared after each of its runs."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from apis.meta import GroupVersionKind, Key, ResourceType
from framework.apiserver.objects import GroupResource
from framework.errors import ConfigurationError
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from framework.testing.replay.user import MERGE_PATCH, RealUser
from framework.testing.replay.witness import kinds_of, rows_of
from framework.testing.simulation.outcome import Outcome
from framework.testing.simulation.scenario import Scenario

_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_LEASES = ResourceType(GroupVersionKind("coordination.k8s.io", "v1", "Lease"), "leases")
# The garbage collector looks for new kinds every 30 seconds.
_LIMIT_SECONDS = 60.0


class Stage:
    """*reference* is a run of the simulation: it says which kinds there is something to see of."""

    def __init__(self, plane: ControlPlane, scenario: Scenario, reference: Outcome) -> None:
        self.plane = plane
        self.user = RealUser(plane)
        for definition in scenario.definitions:
            self._define(definition)
        self.kinds: Sequence[ResourceType] = kinds_of(self.user.client, _resources_of(reference))
        # What a server has without being asked, and its own controllers write.
        self._foreign = {(row.resource.resource, row.key) for row in rows_of(self.user.client, self.kinds)}
        if scenario.prepare is not None:
            scenario.prepare(self.user.client)
        self._prepared = {(row.resource, row.key): row.revision for row in rows_of(self.user.client, self.kinds)}
        options = [scenario.options_of(process) for process in scenario.processes]
        self._leases = {each.lease for each in options if each.lease is not None}

    def is_foreign(self, plural: str, key: Key) -> bool:
        return (plural, key) in self._foreign

    def clear(self) -> None:
        """Nothing is left of a run; ConfigurationError if it has changed what was there before it."""
        for key in self._leases:
            self.user.ask("DELETE", _LEASES.path(key.namespace, key.name))
        if not wait_until(self._is_clear, limit_seconds=_LIMIT_SECONDS):
            raise ConfigurationError("what a run has left on the server does not go away")
        rows = {(row.resource, row.key): row.revision for row in rows_of(self.user.client, self.kinds)}
        for (resource, key), revision in self._prepared.items():
            if rows.get((resource, key)) != revision and not self.is_foreign(resource.resource, key):
                raise ConfigurationError(f"a run has changed {resource} {key}, which a replay cannot prepare again")

    def close(self) -> None:
        """What was prepared goes too."""
        self._prepared = {
            (kind, key): at for (kind, key), at in self._prepared.items() if self.is_foreign(kind.resource, key)
        }
        self.clear()
        self.user.close()

    def _is_clear(self) -> bool:
        """Whether nothing had to be removed."""
        is_clear = True
        for kind in self.kinds:
            for row in rows_of(self.user.client, [kind]):
                if (row.resource, row.key) not in self._prepared:
                    is_clear = False
                    self._remove(kind.path(row.key.namespace, row.key.name), msgspec.json.decode(row.raw))
        return is_clear

    def _remove(self, path: str, obj: Mapping[str, Any]) -> None:
        if obj["metadata"].get("finalizers"):
            self.user.ask("PATCH", path, {"metadata": {"finalizers": None}}, MERGE_PATCH)
        self.user.ask("DELETE", path)

    def _define(self, definition: Mapping[str, Any]) -> None:
        path = f"{_DEFINITIONS}/{definition['metadata']['name']}"
        self.user.ask("POST", _DEFINITIONS, definition)
        if not wait_until(lambda: _is_established(self.user.get(path)), limit_seconds=_LIMIT_SECONDS):
            raise ConfigurationError(f"{definition['metadata']['name']} is refused, or never established")
        group, plural = definition["spec"]["group"], definition["spec"]["names"]["plural"]
        if not wait_until(lambda: self._is_watched(group, plural), limit_seconds=_LIMIT_SECONDS):
            raise ConfigurationError(f"the garbage collector does not watch {plural}; has the server one?")

    def _is_watched(self, group: str, plural: str) -> bool:
        """Nobody else watches it now; who does not see an owner go keeps its children."""
        metrics = self.user.client.raw_get("/metrics").decode()
        gauge = [line for line in metrics.splitlines() if line.startswith("apiserver_longrunning_requests{")]
        wanted = (f'group="{group}"', f'resource="{plural}"', 'verb="WATCH"')
        return any(all(part in line for part in wanted) and not line.endswith(" 0") for line in gauge)


def _is_established(definition: Mapping[str, Any] | None) -> bool:
    conditions = (definition or {}).get("status", {}).get("conditions")
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions or ())


def _resources_of(reference: Outcome) -> list[GroupResource]:
    names = {
        path.partition("/")[0] for path in (*reference.state, *reference.counts) if not path.startswith("outside:")
    }
    return sorted(GroupResource(group, plural) for plural, _, group in (name.partition(".") for name in names))
