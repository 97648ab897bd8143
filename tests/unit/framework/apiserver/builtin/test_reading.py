from typing import Any

import pytest

from framework.errors import BadRequest
from tests.unit.framework.apiserver.builtin.objects import a_pod_spec, a_workload_spec, copied, strategy_of


def test_unknown_fields_go_and_their_paths_are_told() -> None:
    spec = a_workload_spec(foo=1)
    spec["template"]["spec"]["containers"][0]["bar"] = {}
    obj = {"metadata": {"name": "a", "baz": None}, "spec": spec}

    unknown = strategy_of("Deployment").prune(obj)

    assert unknown == ["metadata.baz", "spec.template.spec.containers[0].bar", "spec.foo"]
    assert obj == {"metadata": {"name": "a"}, "spec": a_workload_spec()}


def test_what_go_leaves_out_is_left_out() -> None:
    obj = {
        "metadata": {"name": "a", "labels": {}, "creationTimestamp": None},
        "spec": a_pod_spec(hostNetwork=False, tolerations=[], hostUsers=False, priority=0, nodeName=""),
    }

    strategy_of("Pod").prune(obj)

    assert obj == {"metadata": {"name": "a"}, "spec": a_pod_spec(hostUsers=False, priority=0)}


def test_lists_without_omitempty_are_shown_as_null_when_absent_and_kept_when_empty() -> None:
    strategy = strategy_of("Role")
    absent: dict[str, Any] = {"metadata": {"name": "a"}}
    empty: dict[str, Any] = {"metadata": {"name": "a"}, "rules": []}

    for obj in (absent, empty):
        strategy.prune(obj)
        strategy.default(obj)

    assert absent["rules"] is None
    assert empty["rules"] == []


def test_reading_and_defaulting_twice_changes_nothing_more() -> None:
    strategy = strategy_of("Deployment")
    obj = {"metadata": {"name": "a"}, "spec": a_workload_spec()}
    strategy.prune(obj)
    strategy.default(obj)
    before = copied(obj)

    unknown = strategy.prune(obj)
    strategy.default(obj)

    assert not unknown
    assert obj == before


def test_times_and_amounts_are_written_as_go_writes_them() -> None:
    lease = {"spec": {"renewTime": "2024-01-02T05:04:05.123456+02:00"}}
    node = {
        "status": {
            "capacity": {"cpu": 2, "memory": "1024Mi"},
            "conditions": [{"lastHeartbeatTime": "2024-01-02T03:04:05.9Z"}],
        }
    }

    strategy_of("Lease").prune(lease)
    strategy_of("Node").prune(node)

    assert lease == {"spec": {"renewTime": "2024-01-02T03:04:05.123456Z"}}
    assert node["status"]["capacity"] == {"cpu": "2", "memory": "1Gi"}
    assert node["status"]["conditions"] == [{"lastHeartbeatTime": "2024-01-02T03:04:05Z"}]


def test_null_items_become_the_zero_of_their_type() -> None:
    obj = {"metadata": {"name": "a"}, "data": {"key": None}}

    strategy_of("ConfigMap").prune(obj)

    assert obj["data"] == {"key": ""}


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        (
            "Deployment",
            {"spec": {"replicas": "3"}},
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            "Deployment",
            {"spec": {"template": {"spec": {"volumes": [{"name": 1}]}}}},
            "json: cannot unmarshal number into Go struct field Volume.spec.template.spec.volumes.name of type string",
        ),
        (
            "Pod",
            {"spec": {"restartPolicy": 1}},
            "json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy",
        ),
        (
            "ConfigMap",
            {"data": {"a": 1}},
            "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
        ),
        ("Secret", {"data": {"a": "b!"}}, "illegal base64 data at input byte 1"),
        (
            "Lease",
            {"spec": {"renewTime": "2024-01-02T03:04:05Z"}},
            'parsing time "2024-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
        ),
    ],
)
def test_a_wrong_type_is_a_bad_request_in_gos_words(kind: str, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest) as refused:
        strategy_of(kind).prune(fields)

    assert refused.value.status.message == f'{kind} in version "v1" cannot be handled as a {kind}: {message}'


def test_schemas_inside_a_definition_are_read_and_what_is_unknown_in_their_alternatives_goes_silently() -> None:
    schema: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "string", "odd": 1}, "worse": 1}
    version = {"name": "v1", "schema": {"openAPIV3Schema": schema}}
    obj: dict[str, Any] = {"metadata": {"name": "a"}, "spec": {"versions": [version]}}

    unknown = strategy_of("CustomResourceDefinition").prune(obj)

    assert unknown == ["spec.versions[0].schema.openAPIV3Schema.worse"]
    assert schema == {"type": "object", "additionalProperties": {"type": "string"}}
