"""A custom resource with every kind of list and map."""

from typing import Any

GROUP, VERSION, KIND, PLURAL = "managedfields.windlass.test", "v1", "Thing", "things"
API_VERSION = f"{GROUP}/{VERSION}"

_TEXT = {"type": "string"}
_PORT = {
    "type": "object",
    "required": ["port"],
    "properties": {
        "port": {"type": "integer"},
        "protocol": {"type": "string", "default": "TCP"},
        "name": _TEXT,
        "tags": {"type": "array", "items": _TEXT, "x-kubernetes-list-type": "set"},
        "note": {"type": "object", "properties": {"text": _TEXT}},
    },
}
_SPEC = {
    "type": "object",
    "properties": {
        "replicas": {"type": "integer"},
        "ratio": {"type": "number"},
        "isOn": {"type": "boolean"},
        "size": {"x-kubernetes-int-or-string": True},
        "when": {"type": "string", "format": "date-time"},
        "set": {"type": "array", "items": _TEXT, "x-kubernetes-list-type": "set"},
        "numbers": {"type": "array", "items": {"type": "integer"}, "x-kubernetes-list-type": "set"},
        "ports": {
            "type": "array",
            "items": _PORT,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["port", "protocol"],
        },
        "atomicList": {"type": "array", "items": _TEXT, "x-kubernetes-list-type": "atomic"},
        "plainList": {"type": "array", "items": {"type": "object", "properties": {"a": _TEXT}}},
        "texts": {"type": "object", "additionalProperties": _TEXT},
        "objects": {
            "type": "object",
            "additionalProperties": {"type": "object", "properties": {"a": _TEXT, "b": {"type": "integer"}}},
        },
        "atomicMap": {
            "type": "object",
            "properties": {"red": {"type": "integer"}, "green": {"type": "integer"}},
            "x-kubernetes-map-type": "atomic",
        },
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "half": {
            "type": "object",
            "properties": {"known": _TEXT},
            "x-kubernetes-preserve-unknown-fields": True,
        },
        "anything": {"x-kubernetes-preserve-unknown-fields": True},
        "template": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
        "nested": {
            "type": "object",
            "nullable": True,
            "properties": {"a": _TEXT, "deeper": {"type": "object", "properties": {"b": _TEXT, "c": _TEXT}}},
        },
    },
}
_CONDITION = {"type": "object", "required": ["type"], "properties": {"type": _TEXT, "status": _TEXT}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "apiVersion": _TEXT,
        "kind": _TEXT,
        "metadata": {"type": "object"},
        "spec": _SPEC,
        "status": {
            "type": "object",
            "properties": {
                "phase": _TEXT,
                "replicas": {"type": "integer"},
                "conditions": {
                    "type": "array",
                    "items": _CONDITION,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["type"],
                },
            },
        },
    },
}

DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"{PLURAL}.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"kind": KIND, "listKind": "ThingList", "plural": PLURAL, "singular": "thing"},
        "versions": [
            {
                "name": VERSION,
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": SCHEMA},
                "subresources": {
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
                },
            }
        ],
    },
}
