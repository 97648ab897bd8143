"""Brings the children of one owner to what is desired."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

import msgspec
import structlog

from apis.meta import Key, KubeObject, ResourceType, Unstructured, resource_type_of
from framework.apply.comparison import applied_entry, first_difference
from framework.apply.desired import Desired, aimed_at, gvk_of, key_of, manifest_of, owned_by
from framework.apply.outcome import Child, Deed, Outcome
from framework.apply.ownership import CONTROLLER_INDEX, controller_of, controller_uids, owner_reference
from framework.client import Client
from framework.errors import Conflict, Invalid, NotFound, Status, TerminalError, WindlassError

_log = structlog.get_logger("windlass.apply")


class ChildLister(Protocol):
    def get(self, key: Key) -> KubeObject | None: ...

    def as_sent(self, key: Key) -> bytes | None:
        """The whole object as the server sent it; None if that is not cached."""

    def by_index(self, name: str, value: str) -> Sequence[KubeObject]: ...


class ChildInformer(Protocol):
    """What is needed of an informer of children."""

    @property
    def resource_type(self) -> ResourceType: ...

    @property
    def has_synced(self) -> bool: ...

    @property
    def lister(self) -> ChildLister: ...

    def add_index(self, name: str, function: Callable[[Any], Iterable[str]]) -> None: ...


class OwnedChildren:
    """All children, of whatever kinds, that one controller makes for owners of one kind, in the name of *client*.

    *informers* are of every kind that is or ever was desired: what is not
    desired any more is found through them. One that keeps whole objects makes a settled
    child cost no request; with a transform, metadata only or without values it costs a read.
    With *force* a field that another manager changed is taken back, else the apply fails
    with Conflict. With *adopt* an object that nobody controls may become a child.
    """

    def __init__(
        self,
        client: Client,
        owner: type[KubeObject] | ResourceType,
        informers: Iterable[ChildInformer],
        *,
        force: bool = True,
        adopt: bool = False,
    ) -> None:
        self._client = client
        self._owner_type = owner if isinstance(owner, ResourceType) else resource_type_of(owner)
        self._informers = {informer.resource_type.gvk: informer for informer in informers}
        self._field_manager = client.field_manager
        self._force = force
        self._adopt = adopt
        for informer in self._informers.values():
            informer.add_index(CONTROLLER_INDEX, controller_uids)

    def converge(self, owner: KubeObject, desired: Iterable[Desired]) -> Outcome:
        """Apply what differs, in the given order, then delete the children of *owner* that are not in *desired*.

        Of an owner that is being deleted nothing is applied: the garbage
        collector would have to chase it. Raises Conflict when the owner is
        gone already, when a child changed since it was read or, without force, another manager holds a field;
        WindlassError when the name is taken by an object that is not ours;
        TerminalError for what cannot be owned. Nothing is deleted then.
        """
        manifests = self._manifests(owner, desired)
        for informer in self._informers.values():
            if not informer.has_synced:
                raise WindlassError(f"the cache of {informer.resource_type.name} is not complete yet")
        deeds = [] if owner.metadata.is_being_deleted else [self._bring(owner, *each) for each in manifests.items()]
        return Outcome((*deeds, *self._prune(owner, manifests)))

    def _manifests(self, owner: KubeObject, desired: Iterable[Desired]) -> dict[Child, dict[str, Any]]:
        manifests: dict[Child, dict[str, Any]] = {}
        for each in desired:
            resource_type = self._resource_type_of(each)
            manifest = manifest_of(each, resource_type, owner.metadata.namespace)
            child = Child(resource_type, key_of(manifest))
            if child in manifests:
                raise TerminalError(f"{child} is desired twice; give the children of {owner.key} different names")
            reference = owner_reference(owner, self._owner_type, resource_type, child.key)
            manifests[child] = owned_by(manifest, reference)
        return manifests

    def _resource_type_of(self, desired: Desired) -> ResourceType:
        gvk = gvk_of(desired)
        if gvk not in self._informers:
            raise TerminalError(
                f"no informer was given for children of kind {gvk.kind} in {gvk.api_version}; "
                "without one they would never be compared or pruned"
            )
        return self._informers[gvk].resource_type

    def _bring(self, owner: KubeObject, child: Child, manifest: dict[str, Any]) -> Deed:
        live = self._content(child) or self._live(child)
        if live is None:
            self._check_is_there(owner)
            # Not by force: what has appeared since we looked is not ours.
            self._client.apply(child.resource_type, manifest, force=False)
            return Deed("created", child)
        self._check_ours(owner, child, live)
        if live["metadata"].get("deletionTimestamp"):
            return Deed("going", child)
        difference = first_difference(manifest, live, self._field_manager)
        if difference is None:
            return Deed("unchanged", child)
        self._apply(child, aimed_at(manifest, live["metadata"]["uid"]))
        _log.debug("child_applied", child=str(child), difference=difference)
        return Deed("applied", child, difference)

    def _apply(self, child: Child, manifest: dict[str, Any]) -> None:
        try:
            self._client.apply(child.resource_type, manifest, force=self._force)
        except Invalid as error:
            if any(cause.field == "metadata.uid" for cause in error.causes):
                # To the server an apply with another uid is an attempt to change the uid.
                raise Conflict(Status(409, "Conflict", f"{child} is another object by now")) from error
            raise

    def _prune(self, owner: KubeObject, manifests: Mapping[Child, object]) -> Iterator[Deed]:
        for informer in self._informers.values():
            for obj in informer.lister.by_index(CONTROLLER_INDEX, owner.metadata.uid):
                child = Child(informer.resource_type, obj.key)
                if child not in manifests and not obj.metadata.is_being_deleted and self._delete(owner, child):
                    yield Deed("pruned", child)

    def _delete(self, owner: KubeObject, child: Child) -> bool:
        live = self._content(child) or self._live(child)
        if live is None or applied_entry(live, self._field_manager) is None or not _is_controlled_by(owner, live):
            return False
        metadata = live["metadata"]
        if metadata.get("deletionTimestamp"):
            return False
        # The version as well: who controls it was read in this one, and may be another in the next.
        conditions = {"uid": metadata["uid"], "resource_version": metadata["resourceVersion"]}
        with suppress(NotFound):
            self._client.delete(child.resource_type, child.key, propagation="Background", **conditions)
        return True

    def _content(self, child: Child) -> Mapping[str, Any] | None:
        """The whole child as cached; None if it is not."""
        raw = self._informers[child.resource_type.gvk].lister.as_sent(child.key)
        return None if raw is None else msgspec.json.decode(raw)

    def _live(self, child: Child) -> Mapping[str, Any] | None:
        # As untyped: the whole of it is needed.
        try:
            obj: KubeObject = self._client.get(child.resource_type, child.key)
        except NotFound:
            return None
        return obj.content if isinstance(obj, Unstructured) else None

    def _check_is_there(self, owner: KubeObject) -> None:
        """Ask the server: a child of an owner that only a cache still has is collected, missed, and made again.

        By a list: who follows the owners may do that, but perhaps no more.
        """
        query = {"fieldSelector": f"metadata.name={owner.metadata.name}"}
        page = self._client.list_page(self._owner_type, owner.metadata.namespace, query)
        found = [msgspec.json.decode(raw)["metadata"] for raw in page.items or ()]
        if not any(each["uid"] == owner.metadata.uid and "deletionTimestamp" not in each for each in found):
            raise Conflict(Status(409, "Conflict", f"{owner.key} is gone, or another object by now"))

    def _check_ours(self, owner: KubeObject, child: Child, live: Mapping[str, Any]) -> None:
        controller = controller_of(live)
        if controller is not None and controller.get("uid") != owner.metadata.uid:
            raise _name_taken(f"{child} is controlled by {controller.get('kind')} {controller.get('name')}", owner)
        # What lost its owner but was made by us, e.g. by an orphaning deletion, is welcome back.
        is_ours = controller is not None or applied_entry(live, self._field_manager) is not None
        if not is_ours and not self._adopt:
            raise _name_taken(f"{child} exists and was not made by {self._field_manager}", owner)


def _is_controlled_by(owner: KubeObject, live: Mapping[str, Any]) -> bool:
    controller = controller_of(live)
    return controller is not None and controller.get("uid") == owner.metadata.uid


def _name_taken(what: str, owner: KubeObject) -> WindlassError:
    # Not terminal: nobody tells us when the name becomes free.
    return WindlassError(f"{what}; it cannot become a child of {owner.key}: delete it, or choose another name")
