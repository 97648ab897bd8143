"""Which resources the server has right now: the built-in ones, and those of the definitions that are stored."""

from collections.abc import Sequence
from typing import NamedTuple

from framework.apiserver.definitions.conditions import is_true
from framework.apiserver.definitions.conversion import ConversionWebhook
from framework.apiserver.definitions.custom_resource import custom_resources
from framework.apiserver.definitions.names import establish
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.resource import Resource
from framework.apiserver.rest.context import timestamp
from framework.apiserver.storage import Record, Stale, Storage
from framework.clock import Clock
from framework.runtime import Runtime

DEFINITIONS = GroupResource("apiextensions.k8s.io", "customresourcedefinitions")
_Name = tuple[str, str, str]


class _Served(NamedTuple):
    record: Record
    definition: Object
    resources: list[Resource]


class Registry:
    """Follows the stored definitions: every look compares one number, and works only after a definition has changed."""

    def __init__(
        self,
        storage: Storage,
        builtin: Sequence[Resource],
        *,
        webhook: ConversionWebhook,
        clock: Clock,
        runtime: Runtime,
    ) -> None:
        self._storage = storage
        self._builtin = tuple(builtin)
        self._builtin_groups = {resource.group for resource in builtin} - {""}
        self._webhook = webhook
        self._clock = clock
        self._lock = runtime.lock()
        self._custom: dict[str, _Served] = {}
        self._by_name: dict[_Name, Resource] = {}
        self._all: tuple[Resource, ...] = ()
        # Of what is served now; the same objects as long as they do not change.
        self.definitions: tuple[Object, ...] = ()
        self._seen = -1

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        if self._storage.revision_of(DEFINITIONS) != self._seen:
            self.refresh()
        return self._by_name.get((group, version, plural))

    def is_served(self, resource: Resource) -> bool:
        return self.find(resource.group, resource.version, resource.plural) is not None

    def is_builtin_path(self, target: str) -> bool:
        """Whether *target* lies under the paths of built-in groups, whatever there is at it."""
        root, _, rest = target.partition("?")[0].removeprefix("/").partition("/")
        return root == "api" or (root == "apis" and rest.partition("/")[0] in self._builtin_groups)

    def all(self) -> tuple[Resource, ...]:
        """Every resource in every served version; the same tuple as long as nothing has changed."""
        if self._storage.revision_of(DEFINITIONS) != self._seen:
            self.refresh()
        return self._all

    def refresh(self) -> None:
        """Accept the names of new definitions and serve what is established."""
        with self._lock:
            while (revision := self._storage.revision_of(DEFINITIONS)) != self._seen:
                self._accept_names()
                if self._storage.revision_of(DEFINITIONS) == revision:
                    self._serve()
                    self._seen = revision

    def _records(self) -> list[Record]:
        with self._storage.lock:
            return list(self._storage.table(DEFINITIONS).records())

    def _accept_names(self) -> None:
        records = self._records()
        if all(self._is_known(record) for record in records):
            return
        definitions = [record.decode() for record in records]
        for record, crd in zip(records, definitions, strict=True):
            if not self._is_known(record):
                self._establish(record, crd, definitions)

    def _is_known(self, record: Record) -> bool:
        known = self._custom.get(record.key.name)
        return known is not None and known.record is record

    def _establish(self, record: Record, crd: Object, definitions: list[Object]) -> None:
        before = record.decode()
        establish(crd, definitions, timestamp(self._clock.now()))
        if crd == before:
            return
        try:
            self._storage.write(DEFINITIONS, record.key, record, crd)
        except Stale:
            # Another write came first; the loop in `refresh` looks again.
            return

    def _serve(self) -> None:
        custom = {}
        for record in self._records():
            name = record.key.name
            known = self._custom.get(name)
            if known is None or known.record is not record:
                crd = record.decode()
                resources = custom_resources(crd, self._webhook) if is_true(crd, "Established") else []
                known = _Served(record, crd, resources)
            custom[name] = known
        self._custom = custom
        served = [resource for one in custom.values() for resource in one.resources]
        self.definitions = tuple(one.definition for one in custom.values() if one.resources)
        self._all = (*self._builtin, *served)
        before, self._by_name = self._by_name, {(one.group, one.version, one.plural): one for one in self._all}
        self._end_watches([resource for name, resource in before.items() if name not in self._by_name])

    def _end_watches(self, gone: Sequence[Resource]) -> None:
        """Those of what is not served any more: they look for themselves when they are woken."""
        with self._storage.lock:
            for resource in gone:
                self._storage.table(resource.storage).wake_all()
