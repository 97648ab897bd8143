"""Kinds that others install, or do not: they may be absent, come later, and go again."""

from collections.abc import Callable, Iterable, Mapping

import structlog

from apis.meta import GroupVersionKind, Key, PartialObject, Request, ResourceType, Unstructured
from controllers.laf.optional_source import Followed, OptionalSource
from framework.controller import Source
from framework.errors import CacheBehind
from framework.informers import DEFINITIONS, HandlerRegistration, InformerOptions, SharedInformer
from framework.listers import Lister
from framework.manager import Manager
from framework.store import Change

DATABASE = ResourceType(GroupVersionKind("database.laf.dev", "v1", "Database"), "databases")
OSS_USER = ResourceType(GroupVersionKind("oss.laf.dev", "v1", "User"), "users")
GATEWAY = ResourceType(GroupVersionKind("gateway.laf.dev", "v1", "Gateway"), "gateways")

_log = structlog.get_logger("windlass.laf")


class OptionalKinds:
    """One informer for each kind that is defined and that a controller of this process follows.

    An informer of a kind that nobody defines would never sync: the process
    would not be ready, and no controller that follows it would begin.
    """

    def __init__(self, manager: Manager) -> None:
        self._manager = manager
        # Held while an informer is made or removed, and while a source joins or leaves.
        # Nobody who is waited for meanwhile needs it: handlers ask `lister_of`, which goes without.
        self._lock = manager.runtime.lock()
        self._attached: tuple[Followed, ...] = ()
        # By the name of the definition. Replaced, never changed: read without the lock.
        self._informers: Mapping[str, SharedInformer[Unstructured]] = {}
        self._definitions_handler: HandlerRegistration[PartialObject] | None = None

    def lister_of(self, resource_type: ResourceType) -> Lister[Unstructured] | None:
        """None: not installed. Raises CacheBehind while that is not known, or not all of its objects are."""
        handler = self._definitions_handler
        if handler is None or not handler.has_synced:
            raise CacheBehind(f"it is not known yet whether {resource_type.name} is installed")
        informer = self._informers.get(resource_type.name)
        if informer is None:
            return None
        if not informer.has_synced:
            raise CacheBehind(f"{resource_type.name} is installed, and has not been read yet")
        return informer.lister

    def source_of(
        self,
        resource_type: ResourceType,
        mapping: Callable[[Unstructured], Iterable[Request]],
        everyone: Callable[[], Iterable[Request]],
    ) -> Source:
        """Requests that *mapping* names for each change, and *everyone* when the kind is installed or goes."""
        return OptionalSource(self, resource_type, mapping, everyone)

    @property
    def definitions(self) -> SharedInformer[PartialObject]:
        """Asked for only by sources: it needs rights, and nobody else has them."""
        found: SharedInformer[PartialObject] = self._manager.informer(DEFINITIONS, InformerOptions(metadata_only=True))
        return found

    def join(self, followed: Followed) -> HandlerRegistration[PartialObject]:
        """Only for sources: *followed* hears of its kind from now on; what is returned knows when all is known."""
        with self._lock:
            self._attached = (*self._attached, followed)
            if self._definitions_handler is None:
                self._definitions_handler = self.definitions.add_handler(self, name="optional-kinds")
            informer = self._informers.get(followed.resource_type.name)
            if informer is None and self._is_defined(followed.resource_type.name):
                informer = self._add(followed.resource_type)
            if informer is not None:
                followed.begin(informer)
            return self._definitions_handler

    def leave(self, followed: Followed) -> None:
        """Only for sources."""
        with self._lock:
            self._attached = tuple(each for each in self._attached if each is not followed)
            followed.end()

    def on_change(self, change: Change[PartialObject]) -> None:
        """A definition came, changed or went."""
        name = change.key.name
        with self._lock:
            concerned = [each for each in self._attached if each.resource_type.name == name]
            if not concerned or not self._is_news(name, concerned):
                return
        for followed in concerned:
            followed.tell_everyone()

    def _is_news(self, name: str, concerned: list[Followed]) -> bool:
        """Whether there is an informer where there was none, or none where there was one."""
        informer, is_defined = self._informers.get(name), self._is_defined(name)
        if informer is None and is_defined:
            informer = self._add(concerned[0].resource_type)
            for followed in concerned:
                followed.begin(informer)
            return True
        if informer is not None and not is_defined:
            for followed in concerned:
                followed.end()
            self._remove(name, informer)
            return True
        if informer is not None and informer.failure is not None:
            # A definition changes when the server begins to serve it.
            informer.retry_now()
        return False

    def _is_defined(self, name: str) -> bool:
        """By what is known now, which may be more than the change that is looked at."""
        definition = self.definitions.lister.get(Key("", name))
        # Of one that is being deleted no object can be made any more.
        return definition is not None and not definition.metadata.is_being_deleted

    def _add(self, resource_type: ResourceType) -> SharedInformer[Unstructured]:
        informer: SharedInformer[Unstructured] = self._manager.informer(resource_type)
        self._informers = {**self._informers, resource_type.name: informer}
        _log.info("optional_kind_installed", resource=resource_type.name)
        return informer

    def _remove(self, name: str, informer: SharedInformer[Unstructured]) -> None:
        self._informers = {each: kept for each, kept in self._informers.items() if each != name}
        self._manager.remove_informer(informer)
        _log.info("optional_kind_gone", resource=name)
