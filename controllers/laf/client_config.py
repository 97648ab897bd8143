"""The kubeconfig in a Cluster: in base64, or as it is."""

import base64
import binascii
import hashlib

_HASH_CHARACTERS = 16


def decoded_config(text: str) -> bytes:
    """What is in base64 without it. A kubeconfig itself never is: it has colons."""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return text.encode()


def config_hash(text: str) -> str:
    """Tells one kubeconfig from another, and nothing of either."""
    return hashlib.sha256(decoded_config(text)).hexdigest()[:_HASH_CHARACTERS]
