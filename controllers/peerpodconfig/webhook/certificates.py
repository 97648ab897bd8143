"""Keeps the two Secrets of the webhook's certificates as they should be."""

from collections.abc import Mapping
from typing import Any

import msgspec

from apis.meta import Key
from controllers.peerpodconfig.webhook import authorities as authorities_secret
from controllers.peerpodconfig.webhook import leaf as leaf_secret
from controllers.peerpodconfig.webhook.authorities import Authorities, authorities_in
from controllers.peerpodconfig.webhook.leaf import Leaf, leaf_in
from controllers.peerpodconfig.webhook.names import AUTHORITY_SECRET, SECRET, SERVING_SECRET
from controllers.peerpodconfig.webhook.own_objects import Document, OwnObjects
from controllers.peerpodconfig.webhook.rotation import Rotation
from framework.clock import Clock


class Settled(msgspec.Struct, frozen=True):
    """What the Secrets say now, and what of it is new."""

    authorities: Authorities
    leaf: Leaf
    news: tuple[str, ...] = ()

    def __repr__(self) -> str:
        # Keys are in here.
        return f"Settled(news={self.news})"


class WebhookCertificates:
    """*namespace* is that of the Secrets."""

    def __init__(self, objects: OwnObjects, namespace: str, rotation: Rotation, *, clock: Clock) -> None:
        self._objects = objects
        self._rotation = rotation
        self._clock = clock
        self._authority_key = Key(namespace, AUTHORITY_SECRET)
        self._leaf_key = Key(namespace, SERVING_SECRET)

    def settle(self) -> Settled:
        """Do what is due and can be done before the API server is told; raises NameTaken."""
        now = self._clock.now()
        live = self._read(self._authority_key, "Opaque")
        live_leaf = self._read(self._leaf_key, "kubernetes.io/tls")
        found = None if live is None else authorities_in(live)
        found_leaf = None if live_leaf is None else leaf_in(live_leaf)
        wanted = self._rotation.authorities(found, found_leaf, now)
        live = self._write(self._authority_key, authorities_secret.secret_of(wanted), live)
        leaf = self._rotation.leaf(found_leaf, wanted, now)
        # Before its authority says so: whoever resumes here finds it issued, and only says so.
        self._write(self._leaf_key, leaf_secret.secret_of(leaf), live_leaf)
        issued = self._rotation.issued(wanted, leaf, now)
        self._write(self._authority_key, authorities_secret.secret_of(issued), live)
        return Settled(issued, leaf, tuple(_news(found, wanted, found_leaf, leaf)))

    def trusted(self, settled: Settled, *, since_before: bool) -> Settled:
        """Note that the API server trusts all of the bundle; *since_before*: it did so when this look began."""
        noted = self._rotation.trusted(settled.authorities, since_before=since_before, now=self._clock.now())
        if noted is settled.authorities:
            return settled
        live = self._read(self._authority_key, "Opaque")
        self._write(self._authority_key, authorities_secret.secret_of(noted), live)
        return msgspec.structs.replace(settled, authorities=noted)

    def look_again_seconds(self, settled: Settled) -> float:
        now = self._clock.now()
        return (self._rotation.next_look(settled.authorities, settled.leaf, now) - now).total_seconds()

    def _read(self, key: Key, type_of_secret: str) -> Document | None:
        live = self._objects.read(SECRET, key)
        if live is None or live.get("type") == type_of_secret:
            return live
        # The type of a Secret cannot be changed.
        self._objects.remove(SECRET, key)
        return None

    def _write(self, key: Key, secret: Mapping[str, Any], live: Document | None) -> Document:
        metadata = {**secret["metadata"], "namespace": key.namespace, "name": key.name}
        manifest = {"apiVersion": "v1", "kind": "Secret", **secret, "metadata": metadata}
        return self._objects.bring(SECRET, manifest, live)


def _news(found: Authorities | None, wanted: Authorities, found_leaf: Leaf | None, leaf: Leaf) -> list[str]:
    news = []
    if found is not None and found.successor is not None and wanted.current == found.successor:
        news.append("the next authority has taken over")
    if found_leaf is not None and found_leaf.pair.certificate and leaf.pair != found_leaf.pair:
        news.append("the certificate of the webhook was renewed")
    return news
