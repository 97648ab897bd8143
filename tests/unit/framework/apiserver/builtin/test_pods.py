import pytest

from framework.apiserver.builtin import builtin_resources
from framework.apiserver.builtin.admission import admit
from framework.apiserver.objects import Object
from tests.unit.framework.apiserver.builtin.objects import (
    a_pod_spec,
    created,
    problems,
    strategy_of,
    update_problems,
    updated,
)

PODS = next(one for one in builtin_resources() if one.kind == "Pod")


def a_pod(**spec: object) -> Object:
    return created(strategy_of("Pod"), spec=a_pod_spec(**spec))


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("nginx:1.27", "IfNotPresent"),
        ("localhost:5000/nginx", "Always"),
        ("localhost:5000/nginx:v1", "IfNotPresent"),
        ("nginx@sha256:" + "a" * 64, "IfNotPresent"),
        ("", "IfNotPresent"),
    ],
)
def test_images_that_may_change_are_always_pulled(image: str, policy: str) -> None:
    pod = a_pod(containers=[{"name": "main", "image": image}])

    assert pod["spec"]["containers"][0]["imagePullPolicy"] == policy


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}}, "Burstable"),
    ],
)
def test_quality_of_service_is_what_its_containers_ask_for(resources: Object, expected: str) -> None:
    pod = a_pod(containers=[{"name": "main", "image": "a", "resources": resources}])

    assert pod["status"] == {"phase": "Pending", "qosClass": expected}


def test_a_created_pod_loses_the_status_it_came_with() -> None:
    pod = created(strategy_of("Pod"), spec=a_pod_spec(), status={"phase": "Running", "podIP": "1.2.3.4"})

    assert pod["status"]["phase"] == "Pending"
    assert "podIP" not in pod["status"]


@pytest.mark.parametrize(
    ("spec", "phase", "requested", "seconds"),
    [
        ({}, "Pending", None, 0),
        ({"nodeName": "n"}, "Running", None, 30),
        ({"nodeName": "n", "terminationGracePeriodSeconds": 5}, "Running", None, 5),
        ({"nodeName": "n"}, "Running", 0, 0),
        ({"nodeName": "n"}, "Succeeded", None, 0),
        ({"nodeName": "n", "terminationGracePeriodSeconds": -1}, "Running", None, 1),
    ],
)
def test_a_deletion_waits_only_for_a_kubelet(spec: Object, phase: str, requested: int | None, seconds: int) -> None:
    pod = a_pod(**spec)
    pod["status"]["phase"] = phase

    assert strategy_of("Pod").grace_seconds(pod, requested) == seconds


def test_other_kinds_go_at_once() -> None:
    assert strategy_of("ConfigMap").grace_seconds({}, None) is None


def test_fields_that_selectors_ask_for_are_there_even_if_empty() -> None:
    strategy = strategy_of("Pod")

    fields = strategy.selectable_fields(a_pod(nodeName="n"))

    assert fields["spec.nodeName"] == "n"
    assert fields["status.phase"] == "Pending"
    assert fields["status.podIP"] == ""
    assert fields["spec.hostNetwork"] == "false"
    assert strategy.is_selectable("spec.nodeName")
    assert not strategy.is_selectable("spec.containers")


def test_the_image_may_change() -> None:
    strategy, old = strategy_of("Pod"), a_pod()

    new = updated(strategy, old, spec=a_pod_spec(containers=[{"name": "main", "image": "nginx:latest"}]))

    assert update_problems(strategy, new, old) == []
    assert new["metadata"]["generation"] == 2


def test_nothing_else_may_change() -> None:
    strategy, old = strategy_of("Pod"), a_pod()

    (problem,) = update_problems(strategy, updated(strategy, old, spec=a_pod_spec(hostname="other")), old)

    assert problem.startswith(
        "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`"
    )
    assert problem.endswith('- hostname: (absent)\n+ hostname: "other"')


def test_a_gated_pod_may_be_bound_to_fewer_nodes() -> None:
    strategy, old = strategy_of("Pod"), a_pod(schedulingGates=[{"name": "a.b/c"}], nodeSelector={"a": "b"})

    narrower = updated(strategy, old, spec={**old["spec"], "nodeSelector": {"a": "b", "c": "d"}})
    other = updated(strategy, old, spec={**old["spec"], "nodeSelector": {"c": "d"}})

    assert update_problems(strategy, narrower, old) == []
    assert len(update_problems(strategy, other, old)) == 1


def test_status_writes_change_nothing_but_status_and_metadata() -> None:
    strategy, old = strategy_of("Pod"), a_pod()

    new = updated(strategy, old, "status", spec=a_pod_spec(hostname="other"), status={"phase": "Running"})

    assert new["spec"] == old["spec"]
    assert new["status"] == {"phase": "Running", "qosClass": "BestEffort"}
    assert new["metadata"]["generation"] == 1


def test_every_mount_needs_a_volume() -> None:
    strategy = strategy_of("Pod")
    pod = a_pod(containers=[{"name": "a", "image": "b", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}])

    assert problems(strategy, pod) == ['spec.containers[0].volumeMounts[0].name: Not found: "v"']


def test_a_hidden_variable_is_warned_about() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}, {"name": "A", "value": "$(A)3"}]
    pod = a_pod(containers=[{"name": "a", "image": "b", "env": env}])

    assert strategy_of("Pod").warnings(pod) == [
        'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'
    ]


def test_admission_gives_a_new_pod_its_priority_and_tolerations_once() -> None:
    pod = a_pod(priorityClassName="system-node-critical")

    admit(PODS.kind_in_errors, pod, None)
    admit(PODS.kind_in_errors, pod, pod)

    assert pod["spec"]["priority"] == 2_000_001_000
    assert [one["key"] for one in pod["spec"]["tolerations"]] == [
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
    ]
