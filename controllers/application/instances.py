"""The Instance of an Application: made, kept as it should be, removed."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from apis.laf.application import Application, ApplicationSpec, Phase
from apis.laf.instance import DesiredState, Instance, InstanceSpec
from apis.meta import Key, ObjectMeta, controller_reference
from controllers.application.conditions import is_ready
from controllers.application.dependencies import Dependent
from controllers.application.phase import Sight
from controllers.application.removal import Removal, is_ours, remove_ours
from controllers.laf.labels import APPID_LABEL
from controllers.laf.optional_kinds import DATABASE, OSS_USER
from framework.client import Client
from framework.errors import AlreadyExists, Forbidden, Invalid
from framework.listers import Lister

# The fields of an Instance in which a dependency is named, and its namespace.
_REFERENCES = ((DATABASE, "database", "databaseNamespace"), (OSS_USER, "ossUser", "ossUserNamespace"))
# Of fields that an encoded spec leaves out.
_DEFAULTS = {"replica": 1, "state": DesiredState.RUNNING.value}


class Seen(msgspec.Struct, frozen=True):
    sight: Sight
    instance: Instance | None = None
    # Why there is none, although there should be one.
    problem: str = ""


class Instances:
    def __init__(self, *, instances: Lister[Instance], client: Client, system_namespace: str) -> None:
        self._instances = instances
        self._client = client
        self._system_namespace = system_namespace
        # Uid of the Instance that each Application was last seen with; lost with the process, and then learned anew.
        self._known: dict[Key, str] = {}

    def forget(self, key: Key) -> None:
        self._known.pop(key, None)

    def see(self, application: Application, spec: ApplicationSpec, dependents: Sequence[Dependent]) -> Seen:
        """Do what is to be done in this phase, and tell what is there then."""
        phase = application.status.state
        if phase is Phase.STOPPING:
            is_left = self.remove(application) is Removal.LEAVING
            return Seen(Sight.LEAVING if is_left else Sight.ABSENT)
        found = self._instances.get(application.key)
        if spec.state is not DesiredState.RUNNING:
            return self._sight_of(application, found)
        # First the phase, then another Instance: who finds the new one must know that it has not run yet.
        if found is None and phase is not Phase.RUNNING:
            try:
                found = self._create(application, self._wanted(application, spec, dependents))
            except (Forbidden, Invalid) as error:
                return Seen(Sight.ABSENT, problem=f"the server refused Instance {application.key}: {error}")
        seen = self._sight_of(application, found)
        if seen.instance is None or seen.sight not in {Sight.PRESENT, Sight.READY}:
            return seen
        kept = self._keep(seen.instance, self._wanted(application, spec, dependents))
        return self._sight_of(application, kept)

    def remove(self, application: Application) -> Removal:
        key = application.key
        return remove_ours(self._client, Instance, key, self._instances.get(key), application)

    def _sight_of(self, application: Application, found: Instance | None) -> Seen:
        if found is None:
            self.forget(application.key)
            return Seen(Sight.ABSENT)
        if not is_ours(found, application):
            return Seen(Sight.FOREIGN, found)
        if found.metadata.is_being_deleted:
            return Seen(Sight.LEAVING, found)
        uid = found.metadata.uid
        known, self._known[application.key] = self._known.get(application.key, uid), uid
        if is_ready(found):
            return Seen(Sight.READY, found)
        return Seen(Sight.PRESENT if known == uid else Sight.REPLACED, found)

    def _wanted(
        self, application: Application, spec: ApplicationSpec, dependents: Sequence[Dependent]
    ) -> dict[str, Any]:
        """The fields of its spec that are ours; None: must not be there."""
        status = application.status
        wanted: dict[str, Any] = {"region": spec.region, "appid": spec.appid, "state": DesiredState.RUNNING.value}
        if status.bundle_name:
            wanted |= {"bundle": status.bundle_name, "bundleNamespace": self._system_namespace}
        if status.runtime_name:
            wanted |= {"runtime": status.runtime_name, "runtimeNamespace": self._system_namespace}
        if spec.replica is not None:
            wanted["replica"] = spec.replica
        used = {each.dependency.resource_type.name for each in dependents if each.is_used}
        for resource_type, name, namespace in _REFERENCES:
            is_used = resource_type.name in used
            wanted[name] = spec.appid if is_used else None
            wanted[namespace] = application.metadata.namespace if is_used else None
        return wanted

    def _create(self, application: Application, wanted: Mapping[str, Any]) -> Instance | None:
        if "bundle" not in wanted or "runtime" not in wanted:
            # They were lost from the status, and may not be adopted now.
            return None
        key, appid = application.key, wanted["appid"]
        metadata = ObjectMeta(
            name=key.name,
            namespace=key.namespace,
            labels={APPID_LABEL: appid},
            owner_references=[controller_reference(application)],
        )
        given = {name: value for name, value in wanted.items() if value is not None}
        try:
            return self._client.create(Instance(metadata=metadata, spec=msgspec.convert(given, InstanceSpec)))
        except AlreadyExists:
            return self._client.get(Instance, key)

    def _keep(self, instance: Instance, wanted: Mapping[str, Any]) -> Instance:
        """Field by field: what is not ours is left alone."""
        # What has its default is left out by the encoder.
        present = {**_DEFAULTS, **msgspec.to_builtins(instance.spec)}
        spec = {name: value for name, value in wanted.items() if present.get(name) != value}
        patch: dict[str, Any] = {"spec": spec} if spec else {}
        if instance.metadata.labels.get(APPID_LABEL) != wanted["appid"]:
            patch["metadata"] = {"labels": {APPID_LABEL: wanted["appid"]}}
        if not patch:
            return instance
        metadata = instance.metadata
        return self._client.merge_patch(
            Instance, instance.key, patch, resource_version=metadata.resource_version, uid=metadata.uid
        )
