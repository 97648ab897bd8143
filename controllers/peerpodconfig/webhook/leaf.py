"""The Secret of the server: its certificate, its key, and who issued it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from controllers.peerpodconfig.webhook.secret_data import encoded, value_in
from framework.certificates.key_pair import KeyPair


class Leaf(msgspec.Struct, frozen=True):
    pair: KeyPair
    issuer: bytes

    def __repr__(self) -> str:
        # A key is in here.
        return "Leaf(...)"


def leaf_in(secret: Mapping[str, Any]) -> Leaf:
    return Leaf(KeyPair(value_in(secret, "tls.crt"), value_in(secret, "tls.key")), value_in(secret, "ca.crt"))


def secret_of(leaf: Leaf) -> dict[str, Any]:
    values = {"tls.crt": leaf.pair.certificate, "tls.key": leaf.pair.key, "ca.crt": leaf.issuer}
    return {
        "type": "kubernetes.io/tls",
        "data": {name: encoded(value) for name, value in values.items()},
        "metadata": {},
    }
