"""The objects that a PeerPodConfig has in the operand namespace: its DaemonSet, and the adaptor's ServiceAccount."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal

import msgspec
import structlog

from apis.apps.v1 import DaemonSet
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import ServiceAccount
from apis.meta import GroupVersionKind, Key, ObjectMeta, resource_type_of
from controllers.peerpodconfig.daemon_set import daemon_set, plain_template
from controllers.peerpodconfig.settings import ResolvedSettings
from controllers.peerpods.listing import Listing
from controllers.peerpods.names import CONFIG_LABEL, DAEMON_SET, MANAGED_BY, MANAGED_BY_LABEL
from controllers.peerpods.options import PeerPodOptions
from framework.apply import first_difference
from framework.client import Client
from framework.errors import AlreadyExists, NotFound, WindlassError

_log = structlog.get_logger("windlass.peerpodconfig")

_CONFIGS = resource_type_of(PeerPodConfig).gvk
_UID_LENGTH = 8


class AppliedDaemonSet(msgspec.Struct, frozen=True):
    """*deed* is what was done; an object that is going must be gone first."""

    name: str
    deed: Literal["written", "unchanged", "going"]
    found: DaemonSet | None = None
    # The usual name is that of an object of somebody else.
    is_name_taken: bool = False

    @property
    def is_applied(self) -> bool:
        return self.deed != "going"


class Operands:
    def __init__(
        self,
        client: Client,
        options: PeerPodOptions,
        *,
        daemon_sets: Listing[DaemonSet],
        service_accounts: Listing[ServiceAccount],
    ) -> None:
        self._client = client
        self._options = options
        self._daemon_sets = daemon_sets
        self._service_accounts = service_accounts

    def ensure_service_account(self) -> None:
        """One that is there is somebody's, and left as it is."""
        key = Key(self._options.namespace, self._options.adaptor_service_account)
        if self._service_accounts.get(key) is not None:
            return
        metadata = ObjectMeta(name=key.name, namespace=key.namespace, labels={MANAGED_BY_LABEL: MANAGED_BY})
        with suppress(AlreadyExists):
            self._client.create(ServiceAccount(metadata=metadata))

    def apply_daemon_set(
        self, config: PeerPodConfig, settings: ResolvedSettings, others: Mapping[str, str]
    ) -> AppliedDaemonSet:
        """*others* are the names of the DaemonSets of all other configs, by their uids."""
        name, is_taken = self._name_for(config, others)
        applied = self._bring(config, name, settings)
        for each in self._owned_by(config.metadata.uid):
            if applied.is_applied and each.metadata.name != name:
                self._delete(each)
        return msgspec.structs.replace(applied, is_name_taken=is_taken)

    def daemon_set_of(self, config: PeerPodConfig) -> AppliedDaemonSet | None:
        """As it is, without a write; None if somebody has taken it away."""
        name = config.status.daemon_set_name
        found = self._daemon_sets.get(Key(self._options.namespace, name))
        if found is None or owner_of(found) != config.metadata.uid:
            return None
        is_going = found.metadata.is_being_deleted
        return AppliedDaemonSet(name, "going") if is_going else AppliedDaemonSet(name, "unchanged", found)

    def remove_daemon_sets(self, uid: str) -> None:
        for each in self._owned_by(uid):
            self._delete(each)

    def orphans(self, living: frozenset[str]) -> frozenset[str]:
        """The uids of configs that are not among *living*, and still have a DaemonSet that we made."""
        labels = [each.metadata.labels for each in self._daemon_sets.list() if _is_managed(each)]
        return frozenset(each[CONFIG_LABEL] for each in labels) - living

    def _name_for(self, config: PeerPodConfig, others: Mapping[str, str]) -> tuple[str, bool]:
        """Chosen once: the recorded one, or one that was made and not recorded; else the first that is free."""
        uid = config.metadata.uid
        own = sorted(each.metadata.name for each in self._owned_by(uid) if _is_managed(each))
        usual, fallback = DAEMON_SET, f"{DAEMON_SET}-{uid[:_UID_LENGTH]}"
        recorded = config.status.daemon_set_name
        for name in filter(None, (recorded, *own, usual)):
            found = self._daemon_sets.get(Key(self._options.namespace, name))
            if found is None and name not in others.values():
                return name, False
            if found is not None and owner_of(found) == uid:
                return name, False
        present = self._daemon_sets.get(Key(self._options.namespace, usual))
        owner = "" if present is None else owner_of(present)
        if owner and owner not in others:
            raise WindlassError(f"DaemonSet {usual} of a config that is gone must go first")
        return fallback, present is not None and not owner

    def _bring(self, config: PeerPodConfig, name: str, settings: ResolvedSettings) -> AppliedDaemonSet:
        manifest = daemon_set(config, name, settings, self._options)
        key = Key(self._options.namespace, name)
        raw = self._daemon_sets.as_sent(key)
        if raw is None:
            # Not by force: what has appeared since we looked is not ours.
            return AppliedDaemonSet(name, "written", self._client.apply(DaemonSet, manifest, force=False))
        live: dict[str, Any] = msgspec.json.decode(raw)
        if live["metadata"].get("deletionTimestamp"):
            return AppliedDaemonSet(name, "going")
        if MANAGED_BY_LABEL not in live["metadata"].get("labels", {}):
            self._strip(key, live, plain_template(config, name, settings, self._options))
        difference = first_difference(manifest, live, self._client.field_manager)
        if difference is None:
            return AppliedDaemonSet(name, "unchanged", self._daemon_sets.get(key))
        aimed = {**manifest, "metadata": {**manifest["metadata"], "uid": live["metadata"]["uid"]}}
        applied = self._client.apply(DaemonSet, aimed)
        _log.debug("daemon_set_applied", name=name, difference=difference)
        return AppliedDaemonSet(name, "written", applied)

    def _strip(self, key: Key, live: Mapping[str, Any], template: Mapping[str, Any]) -> None:
        """Take over what an older controller made: an apply alone would leave in place what only that one knew."""
        version = live["metadata"]["resourceVersion"]
        operations = [
            {"op": "test", "path": "/metadata/resourceVersion", "value": version},
            {"op": "replace", "path": "/spec/template", "value": template},
        ]
        self._client.json_patch(DaemonSet, key, operations)

    def _owned_by(self, uid: str) -> Iterator[DaemonSet]:
        return (each for each in self._daemon_sets.list() if owner_of(each) == uid)

    def _delete(self, found: DaemonSet) -> None:
        if found.metadata.is_being_deleted:
            return
        with suppress(NotFound):
            self._client.delete(DaemonSet, found.key, uid=found.metadata.uid, propagation="Background")


def owner_of(found: DaemonSet) -> str:
    """The uid of the config that it belongs to; empty if it is somebody else's."""
    if _is_managed(found):
        return found.metadata.labels[CONFIG_LABEL]
    owner = found.metadata.controller_owner
    if owner is None:
        return ""
    gvk = GroupVersionKind.parse(owner.api_version, owner.kind)
    return owner.uid if (gvk.group, gvk.kind) == (_CONFIGS.group, _CONFIGS.kind) else ""


def _is_managed(found: DaemonSet) -> bool:
    labels = found.metadata.labels
    return labels.get(MANAGED_BY_LABEL) == MANAGED_BY and CONFIG_LABEL in labels
