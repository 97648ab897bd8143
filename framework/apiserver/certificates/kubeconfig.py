"""Kubeconfig files. They are written as JSON, which every reader of YAML understands."""

import base64
from collections.abc import Mapping
from pathlib import Path

import msgspec

from framework.certificates.key_pair import KeyPair
from framework.certificates.private_file import write_private_file

_NAME = "windlass"


def write_kubeconfig(path: Path, *, server: str, ca: bytes | None, user: Mapping[str, object]) -> Path:
    """Write a kubeconfig with one context that needs no other file.

    *ca* is PEM, None for a server without TLS; *user* holds credentials in the
    terms of the file format, such as `client_certificate(pair)` or
    `{"token": ...}`.
    """
    cluster = {"server": server}
    if ca is not None:
        cluster["certificate-authority-data"] = _base64(ca)
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": _NAME, "cluster": cluster}],
        "users": [{"name": _NAME, "user": user}],
        "contexts": [{"name": _NAME, "context": {"cluster": _NAME, "user": _NAME, "namespace": "default"}}],
        "current-context": _NAME,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_private_file(path, msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
    return path


def client_certificate(pair: KeyPair) -> dict[str, object]:
    """The credentials of a user who shows *pair*."""
    return {"client-certificate-data": _base64(pair.certificate), "client-key-data": _base64(pair.key)}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
