"""A kubeconfig that leads to the relay."""

from pathlib import Path

import msgspec


def write_kubeconfig(path: Path, *, url: str, token: str, ca_file: Path | None) -> Path:
    cluster = {"server": url} | ({"certificate-authority": str(ca_file)} if ca_file else {})
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "relay", "cluster": cluster}],
        "users": [{"name": "relay", "user": {"token": token}}],
        "contexts": [{"name": "relay", "context": {"cluster": "relay", "user": "relay"}}],
        "current-context": "relay",
    }
    path.touch(mode=0o600)
    # JSON is YAML, and needs no further library.
    path.write_bytes(msgspec.json.format(msgspec.json.encode(config)))
    return path
