"""Requests of every kind: right ones, nearly right ones and nonsense."""

import json
from collections.abc import Sequence
from random import Random  # noqa: TID251 - seeded by Hypothesis
from typing import Any

from framework.apiserver.builtin import builtin_resources
from framework.apiserver.server import ADMIN
from framework.http.exchange import PeerCertificate, ServerRequest
from tests.component.fuzz.values import FIELDS, json_value, mutated, odd_value, paths_in
from tests.conformance.builtin.manifests import MINIMAL, RICH
from tests.conformance.kinds import GADGET, WIDGET, config_map, gadget, widget
from tests.conformance.protobuf.manifests import QUESTIONS

_METHODS = ("GET", "POST", "POST", "PUT", "PUT", "PATCH", "PATCH", "PATCH", "PATCH", "DELETE")
_ODD_METHODS = ("HEAD", "OPTIONS", "TRACE", "ODD", "get", "")
_SEGMENTS = (
    "",
    ".",
    "..",
    "%2e%2e",
    "%2f",
    "%00",
    "%ff",
    "%",
    "%zz",
    "a" * 300,
    "ä",
    "~",
    "*",
    "api",
    "apis",
    "v1",
    "v2",
    "namespaces",
    "default",
    "pods",
    "a",
    "b",
    "status",
    "scale",
    "finalize",
    "log",
    "watch",
    "proxy",
    "apps",
    "Deployment",
    "deployments",
    "widgets",
    "token",
    "binding",
    "eviction",
)
_OTHER_PATHS = (
    "",
    "/",
    "*",
    "/api",
    "/apis",
    "/api/v1",
    "/apis/apps",
    "/apis/apps/v1",
    "/version",
    "/healthz",
    "/readyz",
    "/livez/ping",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/apis/apps/v1",
    "/metrics",
    "/logs",
    "/nothing",
    "http://example.com/api",
    "?watch",
)
_QUERIES = {
    "watch": ("true", "false", "1", "", "x"),
    "resourceVersion": ("", "0", "1", "5", "20", "99999999", "-1", "x", "1.5", "1" * 30, "٣"),
    "resourceVersionMatch": ("", "Exact", "NotOlderThan", "Odd"),
    "sendInitialEvents": ("true", "false", "x"),
    "allowWatchBookmarks": ("true", "x"),
    "timeoutSeconds": ("1", "0", "-5", "x", "9" * 30),
    "limit": ("0", "1", "2", "-1", "x", "9" * 30),
    "continue": ("x", "eyJ9", "", "%ff", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhXHUwMDAwIn0"),
    "labelSelector": (
        "a=b",
        "a in (b,c)",
        "!a",
        "a!=b,c",
        "a in (",
        "((",
        "a" * 300,
        "=",
        ",",
        "a==b==c",
        "x>y",
        "a>1",
    ),
    "fieldSelector": ("metadata.name=a", "metadata.namespace=x", "spec.color=red", "x=y", "metadata.name", "=,", "a\\"),
    "dryRun": ("All", "", "x"),
    "fieldValidation": ("Ignore", "Warn", "Strict", "x"),
    "fieldManager": ("one", "two", "", "a" * 129, "a\nb"),
    "force": ("true", "false", "x"),
    "gracePeriodSeconds": ("0", "5", "-1", "x"),
    "propagationPolicy": ("Foreground", "Orphan", "x"),
    "orphanDependents": ("true", "x"),
    "pretty": ("true", ""),
    "timeout": ("1s", "x", "-1s", "9999h"),
    "includeObject": ("None", "Object", "x"),
}
_CONTENT_TYPES = (
    "application/json",
    "application/json",
    "application/merge-patch+json",
    "application/merge-patch+json",
    "application/json-patch+json",
    "application/strategic-merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "application/apply-patch+yaml",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/json; charset=utf-8",
    "APPLICATION/JSON",
    "text/plain",
    "",
    ";",
    "a/b/c;=",
)
_ACCEPTS = (
    "application/json",
    "*/*",
    "",
    "application/yaml",
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "application/json;as=Odd;v=v1;g=meta.k8s.io",
    "application/vnd.kubernetes.protobuf",
    "text/html",
    ";,;q=x",
)
_HEADERS = {
    "user-agent": ("kubectl/v1", "", "a" * 300, "ä"),
    "authorization": ("Bearer x", "Bearer a.b.c", "Basic eDp5", "Bearer", ""),
    "impersonate-user": ("somebody", "", "system:serviceaccount:default:default", "system:serviceaccount:"),
    "impersonate-group": ("system:masters", "a, b"),
    "impersonate-extra-a": ("b",),
    "impersonate-uid": ("x",),
}
_PEERS = (
    ADMIN,
    ADMIN,
    ADMIN,
    ADMIN,
    ADMIN,
    None,
    PeerCertificate("somebody"),
    PeerCertificate("", ("system:masters",)),
)
NAMES = ("a", "b")
_NAMESPACES = ("default", "default", "default", "kube-system", "other")


def _paths_by_kind() -> dict[tuple[str, str], tuple[str, bool]]:
    paths = {}
    for one in builtin_resources():
        prefix = f"/apis/{one.group}/{one.version}" if one.group else f"/api/{one.version}"
        paths[one.api_version, one.kind] = (f"{prefix}/{{}}{one.plural}", one.is_namespaced)
    paths["conformance.windlass.dev/v1", "Widget"] = ("/apis/conformance.windlass.dev/v1/{}widgets", True)
    paths["conformance.windlass.dev/v1", "Gadget"] = ("/apis/conformance.windlass.dev/v1/{}gadgets", False)
    return paths


_PATHS = _paths_by_kind()
# Webhooks would be called, over a network that is not there.
OBJECTS: tuple[Any, ...] = tuple(
    manifest
    for manifest in (
        *MINIMAL.values(),
        *RICH.values(),
        *(config_map(), widget("a", size=1, tags=["x"]), widget("b", ports=[{"name": "a"}]), gadget("a", x=[1])) * 3,
        WIDGET,
        GADGET,
        *QUESTIONS.values(),
    )
    if "WebhookConfiguration" not in manifest["kind"]
)


def creation(obj: Any, name: str) -> ServerRequest:
    """The right request for a new object, in the first of all namespaces."""
    pattern, is_namespaced = _PATHS[obj["apiVersion"], obj["kind"]]
    target = pattern.format(f"namespaces/{_NAMESPACES[0]}/" if is_namespaced else "")
    body = json.dumps(_named(obj, name)).encode()
    return ServerRequest("POST", target, {"content-type": "application/json"}, body, ADMIN)


def _named(obj: Any, name: str) -> Any:
    return {**obj, "metadata": {**obj.get("metadata", {}), "name": name}}


class RandomRequest:
    """A request that is right but for a few of its parts; the same for the same dice."""

    def __init__(self, dice: Random, objects: Sequence[Any]) -> None:
        self._dice = dice
        self._obj = dice.choice(objects)
        self._name = dice.choice(NAMES)
        self._method = dice.choice(_METHODS if dice.random() < 0.95 else _ODD_METHODS)
        self._has_name = dice.random() < {"GET": 0.5, "POST": 0.15}.get(self._method, 0.95)

    def build(self) -> ServerRequest:
        dice = self._dice
        content_type = self._content_type()
        headers = {"content-type": content_type, "accept": "application/json"}
        if dice.random() < 0.1:
            headers["accept"] = dice.choice(_ACCEPTS)
        if dice.random() < 0.05:
            headers |= self._some(_HEADERS)
        peer = dice.choice(_PEERS) if dice.random() < 0.05 else ADMIN
        return ServerRequest(self._method, self._path() + self._query(), headers, self._body(content_type), peer)

    def _some(self, choices: dict[str, tuple[str, ...]]) -> dict[str, str]:
        names = self._dice.sample(sorted(choices), self._dice.randint(1, 3))
        return {name: self._dice.choice(choices[name]) for name in names}

    def _content_type(self) -> str:
        if self._dice.random() < 0.05:
            return self._dice.choice(_CONTENT_TYPES)
        return self._dice.choice(_PATCH_TYPES) if self._method == "PATCH" else "application/json"

    def _query(self) -> str:
        kind = self._dice.random()
        if kind < 0.03:
            return self._dice.choice(_ODD_QUERIES)
        query = self._some(_QUERIES) if kind < 0.4 else {}
        if self._method == "PATCH":
            query.setdefault("fieldManager", "one")
        return "?" + "&".join(f"{name}={value}" for name, value in query.items())

    def _path(self) -> str:
        dice = self._dice
        if dice.random() < 0.03:
            return dice.choice(_OTHER_PATHS)
        pattern, is_namespaced = _PATHS[self._obj["apiVersion"], self._obj["kind"]]
        path = pattern.format(f"namespaces/{dice.choice(_NAMESPACES)}/" if is_namespaced else "")
        if self._has_name:
            path += f"/{self._name}"
            if dice.random() < (0.9 if self._method == "POST" else 0.2):
                path += dice.choice(_SUBRESOURCES)
        return self._broken(path) if dice.random() < 0.08 else path

    def _broken(self, path: str) -> str:
        parts = path.split("/")
        index = self._dice.randrange(len(parts) + 1)
        parts[index : index + self._dice.randint(0, 1)] = [self._dice.choice(_SEGMENTS)]
        return "/".join(parts)

    def _body(self, content_type: str) -> bytes:
        dice = self._dice
        kind = dice.random()
        if kind < 0.04:
            return dice.choice((*_RAW_BODIES, dice.randbytes(20)))
        value: Any = _named(self._obj, self._name)
        if kind < 0.08:
            value = json_value(dice)
        elif content_type == "application/json-patch+json":
            value = [self._operation() for _ in range(dice.randrange(4))]
        elif self._method == "DELETE":
            value = {name: dice.choice(values) for name, values in _DELETE_OPTIONS.items() if dice.random() < 0.2}
        elif kind < 0.7:
            value = mutated(dice, value)
        return json.dumps(value).encode()

    def _operation(self) -> Any:
        dice = self._dice
        operation: dict[str, Any] = {"op": dice.choice(_OPERATIONS), "path": self._pointer(), "value": odd_value(dice)}
        if operation["op"] in {"move", "copy"}:
            operation["from"] = self._pointer()
        return mutated(dice, operation) if dice.random() < 0.1 else operation

    def _pointer(self) -> str:
        path = self._dice.choice(list(paths_in(self._obj)))
        parts = [str(part).replace("~", "~0").replace("/", "~1") for part in path]
        if self._dice.random() < 0.3:
            parts.append(self._dice.choice(("0", "-", "-1", "01", "labels", "finalizers", "managedFields", *FIELDS)))
        return "".join(f"/{part}" for part in parts)


_PATCH_TYPES = (
    "application/merge-patch+json",
    "application/json-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
)
_SUBRESOURCES = ("/status", "/status", "/scale", "/scale", "/finalize", "/token", "/binding", "/eviction", "/log")
_OPERATIONS = ("add", "add", "remove", "replace", "replace", "test", "move", "copy", "x")
_ODD_QUERIES = ("?", "?&&", "?=", "?%", "?a=%ff", "?watch&watch=false", "?" + "a" * 1000)
_RAW_BODIES = (
    b"",
    b"{",
    b"null",
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"metadata":{"name":"a"},"metadata":{"name":"b"}}',
    b"\xff\xfe",
    b'{"a":"\xff"}',
    b'{"a":NaN}',
    b'{"a":1e999}',
    b'{"a":' + b"9" * 5000 + b"}",
    b"a: &a [*a]",
    b"a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]",
    b"? [a]\n: b",
    b"k8s\x00\x0a\x02\x08",
    b"k8s\x00" + b"\xff" * 30,
    b"k8s\x00\x12\x04\x0a\x02\x0a\x00",
)
_DELETE_OPTIONS: dict[str, tuple[Any, ...]] = {
    "propagationPolicy": ("Foreground", "Orphan", "Background", "x", None, 1),
    "gracePeriodSeconds": (0, 5, -1, "x", None, 2**63 - 1, -(2**63)),
    "orphanDependents": (True, False, None, "x"),
    "preconditions": ({}, None, {"uid": "x"}, {"uid": 1}, {"resourceVersion": "x"}, []),
    "dryRun": (["All"], [], None, "All", ["x"], [1]),
    "kind": ("DeleteOptions", "x", 1),
}
