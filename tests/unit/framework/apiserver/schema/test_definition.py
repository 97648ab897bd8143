from typing import Any

from framework.apiserver.schema import (
    default_definition,
    definition_warnings,
    validate_definition,
    validate_definition_update,
)
from tests.unit.framework.apiserver.schema.schemas import INTEGER, STRING, fields, ruled

ESTABLISHED = {"conditions": [{"type": "Established", "status": "True"}], "storedVersions": ["v1"]}


def definition(*schemas: Any, **spec: Any) -> Any:
    made = {
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [
                {"name": f"v{at + 1}", "served": True, "storage": at == 0, "schema": {"openAPIV3Schema": schema}}
                for at, schema in enumerate(schemas)
            ],
            **spec,
        },
    }
    default_definition(made)
    return made


def errors_of(crd: Any) -> list[str]:
    return [str(error) for error in validate_definition(crd)]


def test_names_conversion_and_the_stored_version_are_filled_in() -> None:
    crd = definition(fields({}))

    assert crd["spec"]["names"] == {"plural": "things", "kind": "Thing", "singular": "thing", "listKind": "ThingList"}
    assert crd["spec"]["conversion"] == {"strategy": "None"}
    assert crd["status"]["storedVersions"] == ["v1"]


def test_the_port_of_a_webhook_is_filled_in() -> None:
    service = {"name": "a", "namespace": "b"}
    webhook = {"clientConfig": {"service": service}, "conversionReviewVersions": ["v1"]}

    crd = definition(fields({}), conversion={"strategy": "Webhook", "webhook": webhook})

    assert crd["spec"]["conversion"]["webhook"]["clientConfig"]["service"]["port"] == 443
    assert errors_of(crd) == []


def test_a_shared_schema_is_reported_above_the_versions() -> None:
    schema = fields({"a": {}})
    place = "openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields"

    assert errors_of(definition(schema)) == [f"spec.validation.{place}"]
    assert errors_of(definition(schema, schema)) == [f"spec.validation.{place}"]
    assert errors_of(definition(fields({}), schema)) == [f"spec.versions[1].schema.{place}"]


def test_rules_that_cannot_be_compiled_are_refused() -> None:
    crd = definition(fields({"a": ruled(INTEGER, "self + 1")}))

    spelled = (
        '{"Rule":"self + 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}'
    )
    place = "spec.validation.openAPIV3Schema.properties[a].x-kubernetes-validations[0].rule"
    assert errors_of(crd) == [f"{place}: Invalid value: {spelled}: cel expression must evaluate to a bool"]


def test_exactly_one_version_is_stored() -> None:
    crd = definition(fields({}), fields({}))
    crd["spec"]["versions"][1]["storage"] = True

    error = next(error for error in errors_of(crd) if error.startswith("spec.versions:"))

    assert error.endswith("must have exactly one version marked as storage version")
    assert (
        '{"Name":"v2","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null' in error
    )


def test_defaults_must_be_valid() -> None:
    crd = definition(fields({"a": {**STRING, "default": 1}}))

    assert errors_of(crd) == [
        (
            'spec.validation.openAPIV3Schema.properties[a].default: Invalid value: "integer": '
            ' in body must be of type string: "integer"'
        )
    ]


def test_scope_and_kind_are_fixed_once_the_definition_is_established() -> None:
    old = {**definition(fields({})), "status": ESTABLISHED}
    new = {**definition(fields({}), scope="Cluster"), "status": ESTABLISHED}

    errors = validate_definition_update(new, old)

    assert [str(error) for error in errors] == ['spec.scope: Invalid value: "Cluster": field is immutable']
    assert validate_definition_update(new, {**old, "status": {"storedVersions": ["v1"]}}) == []


def test_a_stored_version_must_stay() -> None:
    old = {**definition(fields({})), "status": ESTABLISHED}
    new = definition(fields({}))
    new["spec"]["versions"][0]["name"] = "v9"
    new["status"] = {**ESTABLISHED, "storedVersions": ["v1", "v9"]}

    errors = validate_definition_update(new, old)

    assert [error.field for error in errors] == ["status.storedVersions[0]"]


def test_an_update_may_keep_what_older_servers_allowed() -> None:
    nested_set = {"type": "array", "items": fields({"a": STRING}), "x-kubernetes-list-type": "set"}
    old = definition(fields({"x": nested_set}))
    new = definition(fields({"x": nested_set, "y": STRING}))

    assert len(validate_definition(new)) == 1
    assert validate_definition_update(new, old) == []


def test_formats_that_nobody_checks_are_warned_about_once_they_are_new() -> None:
    old = definition(fields({"a": {**STRING, "format": "known-before"}}))
    new = definition(fields({"a": {**STRING, "format": "known-before"}, "b": {**INTEGER, "format": "date"}}))

    assert definition_warnings(new) == ['unrecognized format "known-before"', 'unrecognized format "date"']
    assert definition_warnings(new, old) == ['unrecognized format "date"']
