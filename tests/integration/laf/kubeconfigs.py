"""Kubeconfigs as they stand in Clusters: good ones, and what a user may do to them."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.cluster import Cluster


def inline(address: str, authority: bytes, user: Mapping[str, Any], **cluster: Any) -> dict[str, Any]:
    """A kubeconfig; *cluster* are further fields of its cluster, or other ones."""
    usual = {"server": address, "certificate-authority-data": base64.b64encode(authority).decode()}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {**usual, **cluster}}],
        "users": [{"name": "u", "user": dict(user)}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }


def direct(plane: Cluster, token: str = "", **cluster: Any) -> dict[str, Any]:
    return inline(plane.url, plane.ca_file.read_bytes(), {"token": token or plane.token}, **cluster)


def with_user(config: Mapping[str, Any], user: Mapping[str, Any]) -> dict[str, Any]:
    return {**config, "users": [{"name": "u", "user": dict(user)}]}


def encoded(config: Mapping[str, Any]) -> str:
    return base64.b64encode(json.dumps(config).encode()).decode()


def token_of(kubeconfig: Path) -> str:
    return str(yaml.safe_load(kubeconfig.read_text())["users"][0]["user"]["token"])
