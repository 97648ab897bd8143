from typing import Any

import pytest

from framework.apiserver.builtin import builtin_resources
from framework.apiserver.builtin.kinds.events import from_core_event, to_core_event
from framework.apiserver.builtin.kinds.strategies import builtin_strategy
from framework.apiserver.resource import Strategy
from tests.unit.framework.apiserver.builtin.objects import (
    UID,
    a_workload_spec,
    created,
    problems,
    strategy_of,
    update_problems,
    updated,
)


def test_every_kind_has_a_strategy() -> None:
    strategies: list[Strategy] = [builtin_strategy(one, list) for one in builtin_resources()]

    assert len(strategies) == len(builtin_resources())


def test_a_namespace_is_active_held_and_labelled_with_its_name() -> None:
    made = created(strategy_of("Namespace"), status={"phase": "Terminating"})

    assert made["status"] == {"phase": "Active"}
    assert made["spec"] == {"finalizers": ["kubernetes"]}
    assert made["metadata"]["labels"] == {"kubernetes.io/metadata.name": "sample"}


def test_finalizers_of_a_namespace_change_only_through_finalize() -> None:
    strategy = strategy_of("Namespace")
    old = created(strategy)

    plain = updated(strategy, old, spec={"finalizers": []})
    finalized = updated(strategy, old, "finalize", spec={"finalizers": []})

    assert plain["spec"] == {"finalizers": ["kubernetes"]}
    assert finalized["spec"] == {}


def test_text_of_a_secret_is_stored_as_data() -> None:
    made = created(strategy_of("Secret"), data={"a": "YQ=="}, stringData={"a": "b", "c": ""})

    assert made["data"] == {"a": "Yg==", "c": ""}
    assert "stringData" not in made
    assert made["type"] == "Opaque"


def test_an_immutable_config_map_may_still_be_labelled() -> None:
    strategy = strategy_of("ConfigMap")
    old = created(strategy, data={"a": "b"}, immutable=True)

    labelled = updated(strategy, old, metadata={**old["metadata"], "labels": {"a": "b"}})

    assert update_problems(strategy, labelled, old) == []
    assert update_problems(strategy, {**old, "data": {}}, old) == [
        "data: Forbidden: field is immutable when `immutable` is set"
    ]


def test_a_map_over_one_mebibyte_is_too_long() -> None:
    strategy = strategy_of("ConfigMap")

    assert problems(strategy, created(strategy, data={"a": "b" * 1024 * 1024})) == []
    assert problems(strategy, created(strategy, data={"a": "b" * (1024 * 1024 + 1)})) == [
        ": Too long: may not be more than 1048576 bytes"
    ]


def test_generation_counts_changes_of_the_desired_state_only() -> None:
    strategy = strategy_of("ReplicaSet")
    old = created(strategy, spec=a_workload_spec())

    same = updated(strategy, old, status={"replicas": 5}, metadata={**old["metadata"], "labels": {"a": "b"}})
    scaled = updated(strategy, old, spec={**old["spec"], "replicas": 2})

    assert same["metadata"]["generation"] == 1
    assert same["status"] == old["status"]
    assert scaled["metadata"]["generation"] == 2


def test_annotations_of_a_deployment_are_part_of_what_is_desired() -> None:
    strategy = strategy_of("Deployment")
    old = created(strategy, spec=a_workload_spec())

    new = updated(strategy, old, metadata={**old["metadata"], "annotations": {"a": "b"}})

    assert new["metadata"]["generation"] == 2


def test_webhook_configurations_have_a_generation_too() -> None:
    strategy = strategy_of("MutatingWebhookConfiguration")
    old = created(strategy)

    new = updated(strategy, old, webhooks=[{"name": "a.b.c"}])

    assert (old["metadata"]["generation"], new["metadata"]["generation"]) == (1, 2)


def test_a_selector_cannot_change_and_must_select_the_template() -> None:
    strategy = strategy_of("Deployment")
    old = created(strategy, spec=a_workload_spec())

    new = updated(strategy, old, spec=a_workload_spec(selector={"matchLabels": {"app": "y"}}))

    assert update_problems(strategy, new, old) == [
        'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`',
        'spec.selector: Invalid value: {"matchLabels":{"app":"y"}}: field is immutable',
    ]


def test_a_job_selects_its_pods_by_its_uid() -> None:
    strategy = strategy_of("Job")
    template = {"spec": {**a_workload_spec()["template"]["spec"], "restartPolicy": "Never"}}

    job = created(strategy, spec={"template": template})

    assert job["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": UID}}
    assert job["spec"]["template"]["metadata"]["labels"]["job-name"] == "sample"
    assert job["metadata"]["labels"] == job["spec"]["template"]["metadata"]["labels"]
    assert problems(strategy, job) == []


def test_labels_that_the_server_generates_cannot_be_made_up() -> None:
    strategy = strategy_of("Job")
    spec = {**a_workload_spec()["template"]["spec"], "restartPolicy": "Never"}
    job = created(strategy, spec={"template": {"metadata": {"labels": {"controller-uid": "x"}}, "spec": spec}})

    assert [one.partition(": Invalid value")[0] for one in problems(strategy, job)] == [
        "spec.template.metadata.labels[controller-uid]"
    ]


def test_the_template_of_a_job_is_fixed_but_for_scheduling_while_suspended() -> None:
    strategy = strategy_of("Job")
    pod = {**a_workload_spec()["template"]["spec"], "restartPolicy": "Never"}
    running = created(strategy, spec={"template": {"spec": pod}})
    suspended = created(strategy, spec={"template": {"spec": pod}, "suspend": True})

    def moved(job: dict[str, Any]) -> list[str]:
        template = {**job["spec"]["template"], "spec": {**job["spec"]["template"]["spec"], "nodeSelector": {"a": "b"}}}
        new = updated(strategy, job, spec={**job["spec"], "template": template})
        return [problem.partition(":")[0] for problem in update_problems(strategy, new, job)]

    assert moved(running) == ["spec.template"]
    assert moved(suspended) == []


@pytest.mark.parametrize(
    ("schedule", "is_fine"),
    [
        ("*/5 * * * *", True),
        ("0 0 1 jan sun", True),
        ("@every 1h30m", True),
        ("1-5,7/2 * * * MON-FRI", True),
        ("60 * * * *", False),
        ("5-1 * * * *", False),
        ("*/0 * * * *", False),
        ("a * * * *", False),
        ("@every soon", False),
        ("1-2-3 * * * *", False),
    ],
)
def test_schedules_are_read_as_cron_reads_them(schedule: str, is_fine: bool) -> None:  # noqa: FBT001 - a column of a table
    strategy = strategy_of("CronJob")
    pod = {**a_workload_spec()["template"]["spec"], "restartPolicy": "Never"}
    made = created(strategy, spec={"schedule": schedule, "jobTemplate": {"spec": {"template": {"spec": pod}}}})

    assert (problems(strategy, made) == []) is is_fine


def test_events_of_both_groups_convert_into_each_other() -> None:
    event = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "a"},
        "note": "text",
        "regarding": {"kind": "Pod"},
        "reportingController": "c",
        "deprecatedCount": 1,
        "type": "Normal",
    }

    core = to_core_event(event)

    assert core["apiVersion"] == "v1"
    assert core["message"] == "text"
    assert core["involvedObject"] == {"kind": "Pod"}
    assert core["reportingComponent"] == "c"
    assert core["count"] == 1
    assert from_core_event(core) == event


def test_an_events_source_is_selectable_in_the_old_group_only() -> None:
    core, newer = strategy_of("Event", "v1"), strategy_of("Event", "events.k8s.io/v1")

    assert core.selectable_fields({"reportingComponent": "c"})["source"] == "c"
    assert core.is_selectable("involvedObject.name")
    assert newer.is_selectable("regarding.name")
    assert not newer.is_selectable("source")


def test_a_lease_needs_its_version_and_may_be_created_by_a_put() -> None:
    strategy = strategy_of("Lease")

    assert not strategy.allows_unconditional_update
    assert strategy.allows_create_on_update


def test_stateful_sets_mount_their_claims() -> None:
    strategy = strategy_of("StatefulSet")
    container = {"name": "main", "image": "a", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    template = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [container]}}

    made = created(strategy, spec=a_workload_spec(template=template, volumeClaimTemplates=[claim]))

    assert problems(strategy, made) == []
    assert made["spec"]["volumeClaimTemplates"][0]["kind"] == "PersistentVolumeClaim"


def test_a_daemon_set_counts_changes_of_its_template() -> None:
    strategy = strategy_of("DaemonSet")
    old = created(strategy, spec=a_workload_spec())

    new = updated(strategy, old, spec=a_workload_spec(template={"spec": old["spec"]["template"]["spec"]}))

    counts = [one["metadata"]["annotations"]["deprecated.daemonset.template.generation"] for one in (old, new)]
    assert counts == ["1", "2"]
