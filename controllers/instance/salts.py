"""The salt of an Instance: made once, kept on the hub, and the same after every stop and start."""

from collections.abc import Callable
from contextlib import suppress

import msgspec

from apis.core.v1 import Secret
from apis.laf.instance import Instance
from apis.meta import Key, ObjectMeta, OwnerReference, controller_reference
from controllers.instance.desired import SALT
from controllers.instance.problem import NotDeployable
from controllers.laf.names import salt_name
from framework.client import Client
from framework.errors import AlreadyExists, NotFound
from framework.listers import Lister

SALT_LABEL = "laf.dev/salt"
SALTS = f"{SALT_LABEL}=true"


class Salts:
    def __init__(self, secrets: Lister[Secret], client: Client, new_salt: Callable[[], str]) -> None:
        """*secrets* are those with the label of salts."""
        self._secrets = secrets
        self._client = client
        self._new_salt = new_salt

    def ensure(self, instance: Instance, deployed: Callable[[], bytes | None]) -> bytes:
        """The salt; if it is gone, the one that is *deployed*, which pods have used already, or a new one."""
        found = self._secrets.get(salt_key(instance))
        if found is None:
            return self._made(instance, deployed() or self._new_salt().encode())
        return found.data.get(SALT) or self._filled(found, deployed() or self._new_salt().encode())

    def remove(self, instance: Instance) -> None:
        """That of an Instance which no Application controls; else it outlives the Instance."""
        key = salt_key(instance)
        found = self._secrets.get(key)
        if found is not None and _controller_of(instance) is None:
            with suppress(NotFound):
                self._client.delete(Secret, key, uid=found.metadata.uid)

    def _made(self, instance: Instance, salt: bytes) -> bytes:
        key = salt_key(instance)
        metadata = ObjectMeta(
            name=key.name,
            namespace=key.namespace,
            labels={SALT_LABEL: "true"},
            owner_references=[_controller_of(instance) or controller_reference(instance)],
        )
        try:
            self._client.create(Secret(metadata=metadata, type="Opaque", data={SALT: salt}))
        except AlreadyExists:
            # The cache has not heard of it yet; or it is not one of ours, and the cache never will.
            found = self._client.get(Secret, key)
            if found.metadata.labels.get(SALT_LABEL) != "true":
                text = f"Secret {key} is there already on the hub, and has no label {SALTS}"
                raise NotDeployable("NameCollision", text) from None
            return found.data.get(SALT) or self._filled(found, salt)
        return salt

    def _filled(self, secret: Secret, salt: bytes) -> bytes:
        metadata = secret.metadata
        patch = {"data": msgspec.to_builtins({SALT: salt})}
        self._client.merge_patch(
            Secret, secret.key, patch, resource_version=metadata.resource_version, uid=metadata.uid
        )
        return salt


def salt_key(instance: Instance) -> Key:
    return Key(instance.metadata.namespace, salt_name(instance.metadata.name))


def _controller_of(instance: Instance) -> OwnerReference | None:
    return next((each for each in instance.metadata.owner_references if each.controller), None)
