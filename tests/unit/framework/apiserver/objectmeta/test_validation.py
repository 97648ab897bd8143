from typing import Any

import pytest

from framework.apiserver.objectmeta import (
    finalizer_warnings,
    label_name,
    subdomain_name,
    validate_change,
    validate_name,
    validate_new,
    validate_update,
)
from framework.apiserver.objects import Object

NAME_PART = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
LABEL_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


def an_object(**metadata: Any) -> Object:
    return {"metadata": {"name": "a", "namespace": "default", "uid": "1", "resourceVersion": "5", **metadata}}


def errors_of(**metadata: Any) -> list[str]:
    found = validate_new(an_object(**metadata), is_namespaced=True, name_rule=subdomain_name)
    return [str(error) for error in found]


def change_errors(old: Object, **metadata: Any) -> list[str]:
    new = {"metadata": {**old["metadata"], **metadata}}
    return [str(error) for error in validate_change(new, old)]


def test_ordinary_metadata_has_no_errors() -> None:
    obj = an_object(
        labels={"app.kubernetes.io/name": "x", "empty": ""},
        annotations={"Example.COM/Mixed": "any text: even this"},
        finalizers=["example.com/cleanup", "orphan"],
        ownerReferences=[{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": True}],
        managedFields=[{"manager": "kubectl", "operation": "Apply", "fieldsType": "FieldsV1"}],
    )

    assert validate_new(obj, is_namespaced=True, name_rule=subdomain_name, has_core_finalizers=True) == []
    assert validate_update(obj, obj, is_namespaced=True) == []


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"name": "A_b"}, f'metadata.name: Invalid value: "A_b": {SUBDOMAIN}'),
        ({"name": 254 * "x"}, f'metadata.name: Invalid value: "{254 * "x"}": must be no more than 253 characters'),
        ({"name": ""}, "metadata.name: Required value: name or generateName is required"),
        ({"generateName": "-"}, f'metadata.generateName: Invalid value: "-": {SUBDOMAIN}'),
        ({"namespace": ""}, "metadata.namespace: Required value"),
        ({"namespace": "a.b"}, 'metadata.namespace: Invalid value: "a.b": must not contain dots'),
        ({"generation": -1}, "metadata.generation: Invalid value: -1: must be greater than or equal to 0"),
        ({"labels": {"a b": ""}}, f'metadata.labels: Invalid value: "a b": {NAME_PART}'),
        ({"labels": {"a": "-y"}}, f'metadata.labels: Invalid value: "-y": {LABEL_VALUE}'),
        ({"annotations": {"a b": ""}}, f'metadata.annotations: Invalid value: "a b": {NAME_PART}'),
        ({"annotations": {"a": 262144 * "x"}}, "metadata.annotations: Too long: may not be more than 262144 bytes"),
        ({"annotations": {"a": 131072 * "é"}}, "metadata.annotations: Too long: may not be more than 262144 bytes"),
        ({"finalizers": ["a b"]}, f'metadata.finalizers: Invalid value: "a b": {NAME_PART}'),
        (
            {"finalizers": ["orphan", "foregroundDeletion"]},
            (
                'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: '
                "finalizer orphan and foregroundDeletion cannot be both set"
            ),
        ),
        (
            {"ownerReferences": [{"apiVersion": "a/b/c", "kind": "Pod", "name": "n", "uid": "u"}]},
            'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
        ),
        (
            {"ownerReferences": [{"apiVersion": "v1", "kind": "Event", "name": "n", "uid": "u", "controller": True}]},
            (
                'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"n","uid":"u",'
                '"controller":true}: /v1, Kind=Event is disallowed from being an owner'
            ),
        ),
        (
            {"managedFields": [{"operation": "Foo"}]},
            'metadata.managedFields[0].operation: Invalid value: "Foo": must be `Apply` or `Update`',
        ),
        (
            {"managedFields": [{"operation": "Apply", "fieldsType": "FieldsV2"}]},
            'metadata.managedFields[0].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`',
        ),
        (
            {"managedFields": [{"operation": "Apply", "manager": 129 * "x"}]},
            "metadata.managedFields[0].manager: Too long: may not be more than 128 bytes",
        ),
        (
            {"managedFields": [{"operation": "Apply", "manager": "é\n"}]},
            r'metadata.managedFields[0].manager: Invalid value: "é\n": invalid character U+000A (at position 2)',
        ),
    ],
)
def test_an_error_is_worded_as_by_the_real_server(metadata: dict[str, Any], message: str) -> None:
    assert errors_of(**metadata) == [message]


def test_an_owner_needs_all_its_names() -> None:
    assert errors_of(ownerReferences=[{}]) == [
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ]


def test_only_one_owner_is_the_controller() -> None:
    first = {"apiVersion": "v1", "kind": "Pod", "name": "n", "uid": "u", "controller": True}
    second = {"apiVersion": "v1", "kind": "Pod", "name": "m", "uid": "v", "controller": True}

    [error] = errors_of(ownerReferences=[first, second])

    assert error.endswith(
        'Only one reference can have Controller set to true. Found "true" in references for Pod/n and Pod/m'
    )


def test_a_trailing_dash_of_a_prefix_is_no_error() -> None:
    assert validate_name(an_object(generateName="web-", name="web-abcde")) == []
    assert [str(error) for error in validate_name(an_object(generateName="a.b-"), label_name)] == [
        'metadata.generateName: Invalid value: "a.b-": must not contain dots'
    ]


def test_an_object_of_the_cluster_has_no_namespace() -> None:
    found = validate_new(an_object(), is_namespaced=False)

    assert [str(error) for error in found] == ["metadata.namespace: Forbidden: not allowed on this type"]


def test_finalizers_of_core_kinds_are_qualified_or_well_known() -> None:
    obj = an_object(finalizers=["orphan", "foo"])

    [error] = validate_new(obj, is_namespaced=True, has_core_finalizers=True)

    detail = "name is neither a standard finalizer name nor is it fully qualified"
    assert str(error) == f'metadata.finalizers[1]: Invalid value: "foo": {detail}'


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"resourceVersion": ""}, 'metadata.resourceVersion: Invalid value: "": must be specified for an update'),
        ({"generation": 1}, "metadata.generation: Invalid value: 1: must not be decremented"),
        ({"uid": "2"}, 'metadata.uid: Invalid value: "2": field is immutable'),
        ({"name": "b"}, 'metadata.name: Invalid value: "b": field is immutable'),
        (
            {"deletionGracePeriodSeconds": 3},
            "metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable",
        ),
        (
            {"deletionTimestamp": "2020-01-01T00:00:00Z"},
            'metadata.deletionTimestamp: Invalid value: "2020-01-01T00:00:00Z": field is immutable',
        ),
    ],
)
def test_what_may_not_change_is_told(metadata: dict[str, Any], message: str) -> None:
    assert change_errors(an_object(generation=2), **metadata) == [message]


def test_nobody_may_add_finalizers_to_an_object_that_is_being_deleted() -> None:
    old = an_object(deletionTimestamp="2020-01-01T00:00:00Z", finalizers=["a.b/c"])

    assert change_errors(old, finalizers=["a.b/c", "x.y/z", "b.c/d"]) == [
        (
            "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, "
            'found new finalizers []string{"b.c/d", "x.y/z"}'
        )
    ]
    assert change_errors(old, finalizers=[]) == []


def test_an_update_tells_errors_of_the_object_and_of_the_change_as_often_as_the_real_server() -> None:
    old = an_object()

    found = validate_update(an_object(labels={"a b": ""}, uid="2"), old, is_namespaced=True)

    assert [error.field for error in found] == ["metadata.labels", "metadata.uid", "metadata.labels"]


def test_warnings_advise_against_finalizers_that_others_may_use() -> None:
    advice = "to avoid accidental conflicts with other finalizer writers"
    new = an_object(finalizers=["foo", "foo.example", "a.b/c", "orphan", "known"])

    assert finalizer_warnings(new, an_object(finalizers=["known"])) == [
        f'metadata.finalizers: "foo": prefer a domain-qualified finalizer name {advice}',
        f'metadata.finalizers: "foo.example": prefer a domain-qualified finalizer name including a path (/) {advice}',
    ]
