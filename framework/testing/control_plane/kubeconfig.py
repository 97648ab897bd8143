"""Kubeconfig files. They are written as JSON, which every reader of YAML understands."""

import json
from collections.abc import Mapping
from pathlib import Path


def write_kubeconfig(path: Path, *, server: str, ca_file: Path, user: Mapping[str, object]) -> Path:
    """Write a kubeconfig with one context, for the credentials *user* in the terms of the file format."""
    name = "windlass"
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": server, "certificate-authority": str(ca_file)}}],
        "users": [{"name": name, "user": user}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name, "namespace": "default"}}],
        "current-context": name,
    }
    # Replaced as a whole: a client may be reading the file of a control plane that is being restarted.
    partial = path.with_name(f".{path.name}.partial")
    partial.touch(mode=0o600)
    partial.write_text(json.dumps(document, indent=2) + "\n")
    return partial.replace(path)
