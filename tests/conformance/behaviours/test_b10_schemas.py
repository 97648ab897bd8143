"""What a schema does to an object: defaults, pruning, validation, rules, ratcheting, strictness."""

import json
from typing import Any

import pytest

from tests.conformance.api import JSON_PATCH, Api
from tests.conformance.behaviours.definitions import apply_definition, served
from tests.conformance.kinds import GROUP, config_map, config_maps, definition, widget, widgets

pytestmark = pytest.mark.behaviour("B10")
INVALID = 'Widget.conformance.windlass.dev "one" is invalid: '


def test_defaults_are_filled_in(api: Api, namespace: str) -> None:
    assert api.create(widgets(namespace), widget(size=1)).ok["spec"] == {"size": 1, "color": "red"}


def test_a_field_that_is_taken_away_gets_its_default_again(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget(color="blue"))

    assert api.patch(widgets(namespace, "one"), {"spec": {"color": None}}).ok["spec"] == {"color": "red"}


def test_unknown_fields_are_pruned_with_a_warning(api: Api, namespace: str) -> None:
    reply = api.create(widgets(namespace), widget(size=1, weight=5, settings={"a": "b"}))

    assert reply.ok["spec"] == {"size": 1, "color": "red", "settings": {"a": "b"}}
    assert reply.warnings == ('299 - "unknown field \\"spec.weight\\""',)


def test_with_ignore_unknown_fields_are_pruned_without_a_word(api: Api, namespace: str) -> None:
    reply = api.create(widgets(namespace), widget(weight=5), query={"fieldValidation": "Ignore"})

    assert reply.ok["spec"] == {"color": "red"}
    assert reply.warnings == ()


def test_with_strict_unknown_and_repeated_fields_are_refused(api: Api, namespace: str) -> None:
    text = json.dumps(widget(size=1, weight=5)).replace('"size": 1', '"size": 1, "size": 2')

    reply = api.create(widgets(namespace), text.encode(), query={"fieldValidation": "Strict"})

    problems = 'duplicate field "spec.size", unknown field "spec.weight"'
    why = f'Widget in version "v1" cannot be handled as a Widget: strict decoding error: {problems}'
    assert reply.error == (400, "BadRequest", why)


def test_with_strict_unknown_fields_of_a_built_in_kind_are_refused(api: Api, namespace: str) -> None:
    obj = {**config_map(a="b"), "colour": "red"}

    reply = api.create(config_maps(namespace), obj, query={"fieldValidation": "Strict"})

    why = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "colour"'
    assert reply.error == (400, "BadRequest", why)


def test_repeated_fields_of_a_built_in_kind_are_warned_of(api: Api, namespace: str) -> None:
    text = json.dumps(config_map(a="b")).replace('"a": "b"', '"a": "b", "a": "c"')

    reply = api.create(config_maps(namespace), text.encode())

    assert reply.ok["data"] == {"a": "c"}
    assert reply.warnings == ('299 - "duplicate field \\"data.a\\""',)


def test_another_field_validation_is_invalid(api: Api, namespace: str) -> None:
    reply = api.create(widgets(namespace), widget(), query={"fieldValidation": "Loose"})

    problem = 'fieldValidation: Unsupported value: "Loose": supported values: "", "Ignore", "Strict", "Warn"'
    assert reply.error == (422, "Invalid", f'CreateOptions.meta.k8s.io "" is invalid: {problem}')


def test_every_violation_is_a_cause(api: Api, namespace: str) -> None:
    reply = api.create(widgets(namespace), widget(size=101, color="pink"))

    assert reply.status == 422
    assert sorted(reply.causes, key=lambda cause: str(cause["field"])) == [
        {
            "reason": "FieldValueInvalid",
            "message": (
                "Invalid value: null: some validation rules were not checked because the object was invalid; "
                "correct the existing errors to complete validation"
            ),
            "field": "<nil>",
        },
        {
            "reason": "FieldValueNotSupported",
            "message": 'Unsupported value: "pink": supported values: "red", "green", "blue"',
            "field": "spec.color",
        },
        {
            "reason": "FieldValueInvalid",
            "message": "Invalid value: 101: spec.size in body should be less than or equal to 100",
            "field": "spec.size",
        },
    ]


def test_a_wrong_type_is_invalid(api: Api, namespace: str) -> None:
    reply = api.create(widgets(namespace), widget(size="big"))

    assert reply.status == 422
    problem = 'Invalid value: "string": spec.size in body must be of type integer: "string"'
    assert {"reason": "FieldValueTypeInvalid", "message": problem, "field": "spec.size"} in reply.causes


def test_a_wrong_type_in_a_built_in_kind_is_a_bad_request(api: Api, namespace: str) -> None:
    reply = api.create(config_maps(namespace), {**config_map(), "data": {"a": 5}})

    cause = "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"
    why = f'ConfigMap in version "v1" cannot be handled as a ConfigMap: {cause}'
    assert reply.error == (400, "BadRequest", why)


def test_a_set_holds_nothing_twice(api: Api, namespace: str) -> None:
    reply = api.create(widgets(namespace), widget(tags=["a", "b", "a"]))

    assert reply.error == (422, "Invalid", f'{INVALID}spec.tags[2]: Duplicate value: "a"')


def test_a_list_map_holds_no_key_twice(api: Api, namespace: str) -> None:
    reply = api.create(widgets(namespace), widget(ports=[{"name": "http"}, {"name": "http", "number": 80}]))

    assert reply.error == (422, "Invalid", f'{INVALID}spec.ports[1]: Duplicate value: {{"name":"http"}}')


def test_a_rule_may_compare_with_the_object_before(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget(name="first"))

    kept = api.patch(widgets(namespace, "one"), {"spec": {"size": 5}})
    changed = api.patch(widgets(namespace, "one"), {"spec": {"name": "second"}})

    assert kept.status == 200
    assert changed.error == (422, "Invalid", f"{INVALID}spec: Invalid value: name is immutable")


def _ratcheted(kind: str, maximum: int, *rules: Any) -> Any:
    properties = {
        "size": {"type": "integer", "maximum": maximum},
        "color": {"type": "string"},
        "inner": {"type": "object", "properties": {"text": {"type": "string"}}, "x-kubernetes-validations": [*rules]},
    }
    return definition(kind, {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}})


def test_what_was_invalid_before_may_stay_as_it_is(api: Api, namespace: str) -> None:
    kind = f"Ratchet{api.name}"
    path = f"/apis/{GROUP}/v1/namespaces/{namespace}/{kind.lower()}s"
    apply_definition(api, _ratcheted(kind, 100))
    obj = {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": "one"}}
    served(api, path)
    api.create(path, {**obj, "spec": {"size": 50, "inner": {"text": "long"}}}).check()
    apply_definition(api, _ratcheted(kind, 10, {"rule": "self.text.size() < 3", "message": "too long"}))
    too_big = {**obj, "metadata": {"name": "two"}, "spec": {"size": 50}}
    served(api, path, lambda: api.create(path, too_big, query={"dryRun": "All"}).status == 422)

    other = api.patch(f"{path}/one", {"spec": {"color": "red"}})
    touched = api.patch(f"{path}/one", {"spec": {"size": 40}})
    ruled = api.patch(f"{path}/one", {"spec": {"inner": {"text": "other"}}})

    assert other.ok["spec"] == {"size": 50, "color": "red", "inner": {"text": "long"}}
    assert [cause["field"] for cause in touched.causes][:1] == ["spec.size"]
    assert [cause["message"] for cause in ruled.causes] == ["Invalid value: too long"]


def test_with_strict_a_patch_with_an_unknown_field_is_invalid(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    reply = api.patch(widgets(namespace, "one"), {"spec": {"weight": 5}}, query={"fieldValidation": "Strict"})

    assert (reply.status, reply.reason) == (422, "Invalid")
    assert reply.message.endswith('strict decoding error: unknown field "spec.weight"')


def test_an_unknown_field_in_a_json_patch_is_warned_of(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    reply = api.patch(widgets(namespace, "one"), [{"op": "add", "path": "/spec/weight", "value": 5}], JSON_PATCH)

    assert reply.ok["spec"] == {"color": "red"}
    assert reply.warnings == ('299 - "unknown field \\"spec.weight\\""',)
