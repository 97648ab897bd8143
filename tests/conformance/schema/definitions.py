"""Definitions to compare with the real server, most of them bad: each as its name and the definition."""

import copy
from typing import Any, TypeAlias

from tests.conformance.schema.definition import definition

Case: TypeAlias = tuple[str, Any]

_STRING = {"type": "string"}
_STRING_WITH_DEFAULT = {"type": "string", "default": "x"}


def _object(properties: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


def _with_field(field: Any) -> dict[str, Any]:
    return _object({"spec": _object({"field": field})})


def _rule(rule: str, **more: Any) -> dict[str, Any]:
    return {"x-kubernetes-validations": [{"rule": rule, **more}]}


def _list(items: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "maxItems": 5, "items": items, **more}


_FIELDS: dict[str, Any] = {
    "fine": {"type": "string", "maxLength": 3},
    "no type": {},
    "unknown type": {"type": "text"},
    "null type": {"type": "null"},
    "array without items": {"type": "array"},
    "items without type": _list({}),
    "list of items": {"type": "array", "items": [_STRING]},
    "ref": {"type": "object", "$ref": "#/definitions/x"},
    "id": {"type": "object", "id": "x"},
    "definitions": {"type": "object", "definitions": {"a": {"type": "string"}}},
    "dependencies": {"type": "object", "dependencies": {"a": ["b"]}},
    "pattern properties": {"type": "object", "patternProperties": {"a": _STRING}},
    "additional items": _list(_STRING, additionalItems=True),
    "unique items": _list(_STRING, uniqueItems=True),
    "both properties": _object({"a": _STRING}, additionalProperties=_STRING),
    "properties and false": _object({"a": _STRING}, additionalProperties=False),
    "properties and true": _object({"a": _STRING}, additionalProperties=True),
    "preserve false": {"type": "object", "x-kubernetes-preserve-unknown-fields": False},
    "bad pattern": {"type": "string", "pattern": "a("},
    "bad pattern 2": {"type": "string", "pattern": "a[b"},
    "bad pattern 3": {"type": "string", "pattern": "(?=a)"},
    "bad pattern 4": {"type": "string", "pattern": "a**"},
    "bad pattern 5": {"type": "string", "pattern": "*a"},
    "bad pattern 6": {"type": "string", "pattern": "a{2000}"},
    "bad pattern 7": {"type": "string", "pattern": "a)"},
    "bad pattern 8": {"type": "string", "pattern": "\\"},
    "bad pattern 9": {"type": "string", "pattern": "[z-a]"},
    "bad pattern 10": {"type": "string", "pattern": "\\8"},
    "bad pattern 11": {"type": "string", "pattern": "(?P<n"},
    "type in junctor": {"type": "string", "anyOf": [{"type": "string"}]},
    "description in junctor": {"type": "string", "allOf": [{"description": "x", "title": "y", "nullable": True}]},
    "default in junctor": {"type": "string", "not": {"default": "x"}},
    "extensions in junctor": {
        "type": "object",
        "oneOf": [
            {
                "x-kubernetes-preserve-unknown-fields": True,
                "x-kubernetes-embedded-resource": True,
                "x-kubernetes-int-or-string": True,
                "x-kubernetes-list-type": "atomic",
                "x-kubernetes-map-type": "atomic",
                "x-kubernetes-list-map-keys": ["a"],
                "additionalProperties": {"minLength": 1},
                "properties": {"metadata": {}, "b": {"minimum": 1}},
                "items": {"minLength": 2},
            }
        ],
    },
    "undeclared in junctor": _object(
        {"a": _STRING}, anyOf=[{"properties": {"a": {"minLength": 1}, "b": {"minLength": 2}}}]
    ),
    "rule in junctor": {"type": "string", "maxLength": 5, "allOf": [_rule("self == 'x'")]},
    "int or string": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
    "int or string in all of": {
        "x-kubernetes-int-or-string": True,
        "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"minLength": 1}],
    },
    "int or string and more": {
        "x-kubernetes-int-or-string": True,
        "x-kubernetes-preserve-unknown-fields": True,
        "x-kubernetes-embedded-resource": True,
    },
    "embedded string": {"type": "string", "x-kubernetes-embedded-resource": True},
    "embedded without type": {"x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
    "empty embedded": {"type": "object", "x-kubernetes-embedded-resource": True},
    "embedded map": {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "additionalProperties": _STRING,
    },
    "embedded meta": _object(
        {"kind": {"type": "integer"}, "apiVersion": {"type": "integer"}, "metadata": {"type": "string"}},
        **{"x-kubernetes-embedded-resource": True},
    ),
    "embedded in meta": _object(
        {
            "metadata": _object(
                {
                    "x": {
                        "type": "object",
                        "x-kubernetes-embedded-resource": True,
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                }
            )
        },
        **{"x-kubernetes-embedded-resource": True},
    ),
    "list type of string": {"type": "string", "x-kubernetes-list-type": "set"},
    "list type of nothing": {"x-kubernetes-preserve-unknown-fields": True, "x-kubernetes-list-type": "set"},
    "unknown list type": _list(_STRING, **{"x-kubernetes-list-type": "bag"}),
    "map list without keys": _list(_object({"a": _STRING}), **{"x-kubernetes-list-type": "map"}),
    "map list of strings": _list(_STRING, **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"]}),
    "map keys": _list(
        _object(
            {"a": _STRING, "b": _object({"c": _STRING}), "d": {**_STRING_WITH_DEFAULT, "nullable": True}}, nullable=True
        ),
        **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b", "d", "e", "a"]},
    ),
    "keys without map": _list(_STRING, **{"x-kubernetes-list-map-keys": ["a"]}),
    "keys of set": _list(_STRING, **{"x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["a"]}),
    "nullable set": _list({"type": "string", "nullable": True}, **{"x-kubernetes-list-type": "set"}),
    "set of objects": _list(_object({"a": _STRING}), **{"x-kubernetes-list-type": "set"}),
    "set of atomic objects": _list(
        _object({"a": _STRING}, **{"x-kubernetes-map-type": "atomic"}), **{"x-kubernetes-list-type": "set"}
    ),
    "set of sets": _list(_list(_STRING, **{"x-kubernetes-list-type": "set"}), **{"x-kubernetes-list-type": "set"}),
    "map type of string": {"type": "string", "x-kubernetes-map-type": "atomic"},
    "unknown map type": {"type": "object", "x-kubernetes-map-type": "bag"},
    "default of wrong type": {"type": "string", "default": 1},
    "default out of range": {"type": "integer", "minimum": 5, "default": 1},
    "unknown field in default": _object({"a": _STRING}, default={"b": "x"}),
    "incomplete default": _object({"a": _STRING}, required=["a"], default={}),
    "default in items": _list(_object({"a": {"type": "integer", "default": "x"}})),
    "default in map": {"type": "object", "additionalProperties": {"type": "integer", "default": "x"}},
    "default against rule": {"type": "integer", "default": 1, **_rule("self > 1")},
    "default embedded": {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True,
        "default": {"kind": "Pod", "metadata": {"name": "a/b"}},
    },
    "default null": {"type": "string", "default": None},
    "rule": {"type": "integer", **_rule("self > 1")},
    "rule with syntax error": {"type": "integer", **_rule("self >")},
    "rule with unknown field": _object({"a": _STRING}, **_rule("self.b == 'x'")),
    "rule of wrong type": {"type": "integer", **_rule("self + 1")},
    "rule comparing types": {"type": "integer", **_rule("self == 'x'")},
    "empty rule": {"type": "integer", **_rule(" ")},
    "empty message": {"type": "integer", **_rule("self > 1", message=" ")},
    "message of two lines": {"type": "integer", **_rule("self > 1", message="a\nb")},
    "rule of two lines": {"type": "integer", **_rule("self >\n1")},
    "rule of two lines with message": {"type": "integer", **_rule("self >\n1", message="m")},
    "empty message expression": {"type": "integer", **_rule("self > 1", messageExpression=" ")},
    "bad message expression": {"type": "integer", **_rule("self > 1", messageExpression="self +")},
    "message expression of wrong type": {"type": "integer", **_rule("self > 1", messageExpression="self")},
    "unknown reason": {"type": "integer", **_rule("self > 1", reason="Bad")},
    "bad field path": _object({"a": _STRING}, **_rule("true", fieldPath=".b")),
    "field path with brackets": _object({"a.b": _STRING}, **_rule("true", fieldPath="['a.b']")),
    "field path of map": {
        "type": "object",
        "maxProperties": 3,
        "additionalProperties": _STRING,
        **_rule("true", fieldPath=".x"),
    },
    "field path in two lines": _object({"a": _STRING}, **_rule("true", fieldPath=".a\n")),
    "empty field path": _object({"a": _STRING}, **_rule("true", fieldPath=" ")),
    "old self in list": _list({"type": "integer", **_rule("self >= oldSelf")}),
    "old self in set": _list({"type": "integer", **_rule("self >= oldSelf")}, **{"x-kubernetes-list-type": "set"}),
    "old self in map": {
        "type": "object",
        "maxProperties": 3,
        "additionalProperties": {"type": "integer", **_rule("self >= oldSelf")},
    },
    "optional without old self": {"type": "integer", **_rule("self > 1", optionalOldSelf=True)},
    "optional with old self": {"type": "integer", **_rule("oldSelf.orValue(0) <= self", optionalOldSelf=True)},
    "rule about nothing": {"x-kubernetes-preserve-unknown-fields": True, **_rule("true")},
    "rule below an error": _object({"a": {}, "b": {"type": "integer", **_rule("self >")}}),
}
_ROOTS: dict[str, Any] = {
    "no type": {},
    "string": {"type": "string"},
    "additional properties": {"type": "object", "additionalProperties": _STRING},
    "nullable": {"type": "object", "nullable": True},
    "metadata of wrong type": _object({"metadata": {"type": "string"}}),
    "metadata with name": _object({"metadata": _object({"name": {"type": "string", "maxLength": 5}})}),
    "metadata with more": _object({"metadata": _object({"name": _STRING, "labels": {"type": "object"}})}),
    "metadata with description": _object({"metadata": {"type": "object", "description": "x"}}),
    "metadata with default": _object({"metadata": {"type": "object", "default": {"name": "x"}}}),
    "kind with default": _object({"kind": {"type": "string", "default": "x"}, "apiVersion": {"type": "integer"}}),
    "metadata with default name": _object({"metadata": _object({"name": _STRING_WITH_DEFAULT})}),
    "rule about name": _object({"spec": {"type": "object"}}, **_rule("self.metadata.name.size() < 5")),
    "rule about labels": _object({"spec": {"type": "object"}}, **_rule("self.metadata.labels.size() < 5")),
}


def _spec(**changes: Any) -> dict[str, Any]:
    made = definition(_object({"spec": _with_field(_STRING)}))
    made["spec"].update(changes)
    return made


def _version(**changes: Any) -> dict[str, Any]:
    made = definition(
        _object({"spec": _object({"a": _STRING, "b": _object({"c": {"type": "integer"}}), "d": _list(_STRING)})})
    )
    made["spec"]["versions"][0].update(changes)
    return made


def _two_versions(first: Any = None, second: Any = None, **changes: Any) -> dict[str, Any]:
    made = _version()
    other = copy.deepcopy(made["spec"]["versions"][0])
    made["spec"]["versions"][0].update(first or {})
    made["spec"]["versions"].append({**other, "name": "v2", "storage": False, **(second or {})})
    made["spec"].update(changes)
    return made


def _names(**names: Any) -> dict[str, Any]:
    made = _spec()
    made["spec"]["names"].update(names)
    return made


def _columns(**column: Any) -> dict[str, Any]:
    return _version(additionalPrinterColumns=[{"name": "A", "type": "string", "jsonPath": ".spec.a", **column}])


def _selectable(*paths: str) -> dict[str, Any]:
    return _version(selectableFields=[{"jsonPath": path} for path in paths])


def _scale(**scale: Any) -> dict[str, Any]:
    paths = {"specReplicasPath": ".spec.r", "statusReplicasPath": ".status.r"}
    return _version(subresources={"scale": {**paths, **scale}})


def _webhook(config: Any = None, versions: Any = ("v1",), **more: Any) -> dict[str, Any]:
    webhook = {"conversionReviewVersions": list(versions), **({"clientConfig": config} if config is not None else {})}
    return _spec(conversion={"strategy": "Webhook", "webhook": webhook, **more})


def _service(**service: Any) -> dict[str, Any]:
    return _webhook({"service": {"name": "a", "namespace": "b", **service}})


_OTHERS: dict[str, Any] = {
    "fine": _spec(),
    "other name": {**_spec(), "metadata": {"name": "other.example.com"}},
    "group without dot": _spec(group="example"),
    "no group": _spec(group=""),
    "bad group": _spec(group="Exa mple.com"),
    "protected group": {**_spec(group="a.k8s.io"), "metadata": {"name": "samples.a.k8s.io"}},
    "protected group, approved": {
        **_spec(group="a.k8s.io"),
        "metadata": {"name": "samples.a.k8s.io", "annotations": {"api-approved.kubernetes.io": "https://a.b/c"}},
    },
    "protected group, not approved": {
        **_spec(group="a.k8s.io"),
        "metadata": {"name": "samples.a.k8s.io", "annotations": {"api-approved.kubernetes.io": "no"}},
    },
    "no scope": _spec(scope=""),
    "bad scope": _spec(scope="World"),
    "preserve": _spec(preserveUnknownFields=True),
    "no names": _spec(names={}),
    "bad names": _names(
        plural="Samples", singular="Sa", kind="Sa mple", listKind="x_y", shortNames=["A", ""], categories=["B"]
    ),
    "same kinds": _names(kind="Sample", listKind="Sample"),
    "no versions": _spec(versions=[]),
    "two versions": _two_versions(),
    "two storage versions": _two_versions(second={"storage": True}),
    "no storage version": _version(storage=False),
    "same version twice": _two_versions(second={"name": "v1"}),
    "same storage version twice": _two_versions(second={"name": "v1", "storage": True}),
    "bad version name": _version(name="V1"),
    "no schema": _version(schema=None),
    "empty schema": _version(schema={}),
    "second without schema": _two_versions(second={"schema": None}),
    "deprecation warning": _version(deprecationWarning="x"),
    "empty deprecation warning": _version(deprecated=True, deprecationWarning=""),
    "long deprecation warning": _version(deprecated=True, deprecationWarning="ä\n" + "x" * 300),
    "two schemas": _two_versions(second={"schema": {"openAPIV3Schema": {"type": "object", "properties": {"x": {}}}}}),
    "two storage versions with two schemas": _two_versions(
        second={
            "storage": True,
            "schema": {
                "openAPIV3Schema": _object({"x": {"type": "integer", "minimum": 1, "enum": [1]}}, **_rule("true"))
            },
        }
    ),
    "status and rule at root": {
        **definition(_object({"spec": {"type": "object"}}, **_rule("true")), subresources={"status": {}}),
    },
    "status and enum at root": definition({"type": "object", "enum": [{}]}, subresources={"status": {}}),
    "status and string at root": definition({"type": "string"}, subresources={"status": {}}),
    "columns": _columns(),
    "column without anything": _version(additionalPrinterColumns=[{"name": "", "type": "", "jsonPath": ""}]),
    "bad column": _columns(type="text", format="x", jsonPath="spec"),
    "columns of two versions": _two_versions(
        second={"additionalPrinterColumns": [{"name": "A", "type": "x", "jsonPath": "y"}]}
    ),
    "selectable fields": _selectable(".spec.a", ".spec.b.c"),
    "bad selectable fields": _selectable(
        ".spec.b", ".spec.x", "spec.a", ".spec.a", ".spec.a", "", ".metadata.name", ".spec.d", ".spec['a']", "."
    ),
    "selectable fields of two": _two_versions(
        first={"selectableFields": [{"jsonPath": ".spec.a"}]}, second={"selectableFields": [{"jsonPath": ".spec.x"}]}
    ),
    "scale": _scale(labelSelectorPath=".status.s"),
    "bad scale": _scale(specReplicasPath=".status.r", statusReplicasPath="status.r", labelSelectorPath=".metadata.x"),
    "empty scale": _scale(specReplicasPath="", statusReplicasPath="", labelSelectorPath=""),
    "scales of two": _two_versions(
        first={"subresources": {"scale": {"specReplicasPath": "x", "statusReplicasPath": "y"}}}
    ),
    "no strategy": _spec(conversion={"strategy": ""}),
    "unknown strategy": _spec(conversion={"strategy": "Magic"}),
    "webhook without strategy": _spec(
        conversion={
            "strategy": "None",
            "webhook": {"clientConfig": {"url": "https://a"}, "conversionReviewVersions": ["v1"]},
        }
    ),
    "webhook": _webhook({"url": "https://a.b/c"}),
    "webhook without config": _webhook(),
    "webhook without anything": _spec(conversion={"strategy": "Webhook"}),
    "webhook with both": _webhook({"url": "https://a", "service": {"name": "a", "namespace": "b"}}),
    "webhook with neither": _webhook({}),
    "bad url": _webhook({"url": "http://u:p@/x?y#z"}),
    "service": _service(),
    "bad service": _service(name="", port=70000, path="a//B_c/"),
    "bad service 2": _service(namespace="", path="//"),
    "review versions": _webhook({"url": "https://a"}, ["x", "x", "V9"]),
    "no review versions": _webhook({"url": "https://a"}, []),
}
CASES: list[Case] = [
    *((f"field: {name}", definition(_with_field(field))) for name, field in _FIELDS.items()),
    *((f"root: {name}", definition(root)) for name, root in _ROOTS.items()),
    *((f"definition: {name}", made) for name, made in _OTHERS.items()),
]


def _changed(path: str, value: Any) -> Any:
    """The spec of the updatable definition with another value at *path*; None takes it away."""
    spec = copy.deepcopy(UPDATABLE["spec"])
    *parents, last = (int(step) if step.isdigit() else step for step in path.split("."))
    place: Any = spec
    for step in parents:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return spec


UPDATABLE: Any = {
    **definition(_with_field(_STRING), plural="changings", kind="Changing"),
}
_FIELD = "versions.0.schema.openAPIV3Schema.properties.spec.properties.field"
UPDATES: list[Case] = [
    ("nothing", UPDATABLE["spec"]),
    ("scope", _changed("scope", "Namespaced")),
    ("kind", _changed("names.kind", "Other")),
    ("plural", _changed("names.plural", "others")),
    ("group", _changed("group", "other.example.com")),
    ("short names", _changed("names.shortNames", ["x", "Y"])),
    ("storage version", _changed("versions.0.name", "v2")),
    ("no schema", _changed("versions.0.schema", None)),
    ("wrong type", _changed(f"{_FIELD}.type", "text")),
    ("wrong default", _changed(f"{_FIELD}.default", 5)),
    ("wrong rule", _changed(f"{_FIELD}.x-kubernetes-validations", [{"rule": "self =="}])),
    ("preserve", _changed("preserveUnknownFields", value=True)),
    (
        "bad certificates",
        _changed(
            "conversion",
            {
                "strategy": "Webhook",
                "webhook": {
                    "clientConfig": {"url": "https://a", "caBundle": "YWJj"},
                    "conversionReviewVersions": ["v1"],
                },
            },
        ),
    ),
]
