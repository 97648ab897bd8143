"""A custom resource with a field for each thing that a schema can say."""

from typing import Any

GROUP, VERSION, PLURAL, KIND = "schema.conformance.example.com", "v1", "samples", "Sample"


def string(**more: Any) -> dict[str, Any]:
    return {"type": "string", **more}


def fields(properties: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


def listed(items: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


FORMATS = (
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "date-time",
    "k8s-short-name",
    "k8s-long-name",
    "unheard-of",
)
_NUMBERS: dict[str, Any] = {
    "integer": {"type": "integer"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "number": {"type": "number"},
    "float": {"type": "number", "format": "float"},
    "double": {"type": "number", "format": "double"},
    "small": {"type": "integer", "minimum": 1, "maximum": 10},
    "between": {
        "type": "integer",
        "minimum": 1,
        "exclusiveMinimum": True,
        "maximum": 10,
        "exclusiveMaximum": True,
    },
    "even": {"type": "integer", "multipleOf": 2},
    "half": {"type": "number", "multipleOf": 0.5},
    "fraction": {"type": "number", "minimum": 0.25, "maximum": 1234567.5},
    "few": {"type": "integer", "enum": [1, 2, 3]},
    "fractions": {"type": "number", "enum": [1, 2.5]},
}
_JUNCTORS: dict[str, Any] = {
    "anyOf": fields(
        {"a": string(), "b": {"type": "integer"}},
        anyOf=[{"required": ["a"]}, {"required": ["b"], "properties": {"b": {"minimum": 5}}}],
    ),
    "oneOf": fields({"a": string(), "b": string()}, oneOf=[{"required": ["a"]}, {"required": ["b"]}]),
    "allOf": string(allOf=[{"minLength": 2}, {"pattern": "^a"}]),
    "not": string(**{"not": {"enum": ["forbidden"]}}),
    "port": {
        "x-kubernetes-int-or-string": True,
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": "^[a-z]+$",
    },
    "anyInt": {"x-kubernetes-int-or-string": True},
}
_EMBEDDED = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
_RULES: dict[str, Any] = {
    "bounds": fields(
        {"low": {"type": "integer"}, "high": {"type": "integer"}, "inner": fields({"note": string(maxLength=20)})},
        **{
            "x-kubernetes-validations": [
                {"rule": "!has(self.low) || !has(self.high) || self.low <= self.high"},
                {"rule": "!has(self.low) || self.low >= 0", "message": "low must not be negative", "fieldPath": ".low"},
                {
                    "rule": "!has(self.high) || self.high < 100",
                    "messageExpression": "has(self.low) ? 'high is too high for low' : 'high is too high'",
                    "reason": "FieldValueForbidden",
                },
                {
                    "rule": "!has(self.inner) || !has(self.inner.note) || self.inner.note != 'x'",
                    "reason": "FieldValueRequired",
                    "fieldPath": ".inner.note",
                    "message": "note must be a real one",
                },
            ]
        },
    ),
    "word": string(**{"maxLength": 10, "x-kubernetes-validations": [{"rule": "self != 'bad'"}]}),
    "words": listed(
        string(
            **{
                "maxLength": 10,
                "x-kubernetes-validations": [{"rule": "self.size() > 1", "reason": "FieldValueDuplicate"}],
            }
        ),
        maxItems=10,
    ),
    "fixed": string(**{"x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "fixed is immutable"}]}),
    "growing": {
        "type": "integer",
        "x-kubernetes-validations": [
            {"rule": "oldSelf.hasValue() ? self >= oldSelf.value() : self >= 0", "optionalOldSelf": True}
        ],
    },
    "keyed": listed(
        fields(
            {"name": string(maxLength=10), "size": {"type": "integer"}},
            required=["name"],
            **{"x-kubernetes-validations": [{"rule": "self.size >= oldSelf.size", "message": "must not shrink"}]},
        ),
        maxItems=10,
        **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
    ),
    "missing": fields(
        {"a": fields({"b": {"type": "integer"}})},
        **{"x-kubernetes-validations": [{"rule": "self.a.b > 0"}]},
    ),
}
_SPEC: dict[str, Any] = {
    "text": string(minLength=2, maxLength=5),
    "pattern": string(pattern="^a+$"),
    "state": string(enum=["A", "B"]),
    "boolean": {"type": "boolean"},
    "nullable": string(nullable=True),
    "nullableState": string(nullable=True, enum=["A"]),
    "withDefault": string(default="it"),
    "nullableWithDefault": string(default="it", nullable=True),
    "nested": fields({"a": fields({"b": string(default="deep")}, default={}), "c": {"type": "integer"}}, default={}),
    "items": listed(fields({"name": string(), "mode": string(default="on")}, required=["name"])),
    "scalars": listed({"type": "integer"}, minItems=1, maxItems=3),
    "matrix": listed(listed(string())),
    "map": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "maxProperties": 2},
    "mapOfObjects": {"type": "object", "additionalProperties": fields({"a": string(), "b": string(default="x")})},
    "anyMap": {"type": "object", "additionalProperties": True},
    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "partlyFree": fields({"known": fields({"a": string()})}, **{"x-kubernetes-preserve-unknown-fields": True}),
    "freeList": listed(fields({"a": fields({"b": string()})}), **{"x-kubernetes-preserve-unknown-fields": True}),
    "anything": {"x-kubernetes-preserve-unknown-fields": True},
    "set": listed(string(), **{"x-kubernetes-list-type": "set"}),
    "intSet": listed({"type": "integer"}, **{"x-kubernetes-list-type": "set"}),
    "keyedByOne": listed(
        fields({"name": string(), "value": string()}, required=["name"]),
        **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
    ),
    "keyedByTwo": listed(
        fields({"port": {"type": "integer"}, "protocol": string(default="TCP")}, required=["port"]),
        **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"]},
    ),
    "embedded": _EMBEDDED,
    "embeddedMap": {"type": "object", "additionalProperties": _EMBEDDED},
    "formats": fields({name: string(format=name) for name in FORMATS}),
    "numbers": fields(_NUMBERS),
    "junctors": fields(_JUNCTORS),
    "rules": fields(_RULES),
}
SCHEMA = fields(
    {"spec": fields(_SPEC, required=["text"]), "status": fields({"phase": string(enum=["Good"])})}, required=["spec"]
)


def definition(schema: Any, plural: str = PLURAL, kind: str = KIND, **version: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Cluster",
            "names": {"plural": plural, "kind": kind},
            "versions": [
                {"name": VERSION, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}
            ],
        },
    }
