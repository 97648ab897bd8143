"""A definition with something of everything that definitions may have, and an object of its kind."""

from typing import Any

GROUP = "fuzz.windlass.dev"
_STRING: Any = {"type": "string", "maxLength": 10}
_SCHEMA: Any = {
    "type": "object",
    "description": "of everything something",
    "required": ["spec"],
    "properties": {
        "metadata": {"type": "object", "properties": {"name": {"type": "string", "pattern": "^[a-z-]+$"}}},
        "spec": {
            "type": "object",
            "required": ["size"],
            "x-kubernetes-validations": [
                {"rule": "self.size >= 0", "message": "too small", "reason": "FieldValueInvalid", "fieldPath": ".size"},
                {
                    "rule": "!has(oldSelf.mode) || self.mode == oldSelf.mode",
                    "messageExpression": "'was ' + oldSelf.mode",
                },
                {"rule": "!has(self.names) || self.names.all(n, n.startsWith('a') || size(n) < 5)"},
                {"rule": "oldSelf.hasValue() || self.size < 90", "optionalOldSelf": True, "message": "begins large"},
            ],
            "properties": {
                "size": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 100, "multipleOf": 1},
                "ratio": {"type": "number", "exclusiveMinimum": True, "minimum": 0, "default": 0.5},
                "mode": {"type": "string", "enum": ["one", "two"], "default": "one"},
                "names": {"type": "array", "items": _STRING, "maxItems": 5, "x-kubernetes-list-type": "set"},
                "ports": {
                    "type": "array",
                    "maxItems": 5,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name", "protocol"],
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {
                            "name": _STRING,
                            "protocol": {"type": "string", "default": "TCP"},
                            "number": {"x-kubernetes-int-or-string": True},
                        },
                    },
                },
                "labels": {"type": "object", "additionalProperties": _STRING, "maxProperties": 3},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "nullable": True},
                "template": {
                    "type": "object",
                    "x-kubernetes-embedded-resource": True,
                    "x-kubernetes-preserve-unknown-fields": True,
                },
                "when": {"type": "string", "format": "date-time"},
                "choice": {
                    "type": "object",
                    "x-kubernetes-map-type": "atomic",
                    "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
                    "not": {"required": ["c"]},
                    "properties": {"a": _STRING, "b": {"type": "boolean"}, "c": {"type": "string", "format": "byte"}},
                },
            },
        },
        "status": {
            "type": "object",
            "properties": {"replicas": {"type": "integer"}, "selector": _STRING, "phase": _STRING},
        },
    },
}
_VERSION: Any = {
    "name": "v1",
    "served": True,
    "storage": True,
    "schema": {"openAPIV3Schema": _SCHEMA},
    "subresources": {
        "status": {},
        "scale": {
            "specReplicasPath": ".spec.size",
            "statusReplicasPath": ".status.replicas",
            "labelSelectorPath": ".status.selector",
        },
    },
    "additionalPrinterColumns": [
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size", "priority": 1},
        {
            "name": "Age",
            "type": "date",
            "jsonPath": ".metadata.creationTimestamp",
            "format": "date",
            "description": "x",
        },
        {"name": "First", "type": "string", "jsonPath": ".spec.ports[?(@.name=='a')].number"},
    ],
    "selectableFields": [{"jsonPath": ".spec.mode"}],
}
DEFINITION: Any = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"things.{GROUP}", "labels": {"a": "b"}},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "preserveUnknownFields": False,
        "conversion": {"strategy": "None"},
        "names": {
            "kind": "Thing",
            "listKind": "ThingList",
            "plural": "things",
            "singular": "thing",
            "shortNames": ["th"],
            "categories": ["all"],
        },
        "versions": [
            _VERSION,
            {
                "name": "v1alpha1",
                "served": True,
                "storage": False,
                "deprecated": True,
                "deprecationWarning": "old",
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            },
        ],
    },
}
THING: Any = {
    "apiVersion": f"{GROUP}/v1",
    "kind": "Thing",
    "metadata": {
        "name": "sample",
        "labels": {"a": "b"},
        "annotations": {"c": "d"},
        "finalizers": ["example.com/a"],
        "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "y", "controller": True}],
    },
    "spec": {
        "size": 3,
        "ratio": 1.5,
        "mode": "two",
        "names": ["abc", "b"],
        "ports": [{"name": "a", "number": 5}, {"name": "b", "protocol": "UDP", "number": "http"}],
        "labels": {"x": "y"},
        "free": {"deep": [{"er": 1}]},
        "template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"x": 1}},
        "when": "2024-01-02T03:04:05Z",
        "choice": {"a": "x"},
    },
    "status": {"replicas": 1, "selector": "a=b", "phase": "x"},
}
