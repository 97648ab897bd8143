"""The containers of the chart, with nothing but the rights of its accounts, do the work."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from tests.integration.chart.plane import Asked, AuditedPlane
from tests.integration.chart.pods import COMPONENTS, Pods
from tests.integration.chart.release import Release
from tests.integration.chart.scraping import scrape
from tests.integration.requeststate.objects import TWO_JOBS, Objects, is_stalled, transitions
from tests.integration.requeststate.processes import eventually

pytestmark = pytest.mark.xdist_group("chart")
Permission = tuple[str, str, str]
_REQUESTS = "com.redhat.ecosystem.sample"
# What this run has no occasion for, and where it is shown that there is one.
UNUSED: Mapping[Permission, str] = {
    ("list", _REQUESTS, "requeststates"): "for servers without WatchList, and whenever a WatchList fails",
    (
        "get",
        _REQUESTS,
        "requeststates",
    ): "after a write that met another one: tests/integration/requeststate/test_rights.py",
}

# Of the manager itself: its Lease, the id of its hub, and who reads its metrics.
OF_ANY_MANAGER = frozenset(
    {
        *((verb, "coordination.k8s.io", "leases") for verb in ("create", "get", "patch")),
        ("get", "", "namespaces"),
        ("create", "authentication.k8s.io", "tokenreviews"),
        ("create", "authorization.k8s.io", "subjectaccessreviews"),
    }
)


def test_flow_completes_with_the_rights_of_the_chart(pods: Pods, objects: Objects) -> None:
    objects.create("first")

    done = objects.wait_until_complete("first")

    assert transitions(done) == TWO_JOBS


def test_every_process_is_ready_and_misses_nothing(pods: Pods, objects: Objects) -> None:
    for component in COMPONENTS:
        complaints = [log for log in pods[component].logs if log["level"] in {"warning", "error"}]
        assert [log for log in complaints if "right" in log["event"] or "forbidden" in str(log).lower()] == []


def test_director_and_worker_use_each_of_their_rights_and_ask_for_no_other(
    pods: Pods, objects: Objects, audited: AuditedPlane, live: Release
) -> None:
    objects.create("rights")
    objects.create("not-in-flow", jobs="JOB1", job="JOB2")
    objects.create("unknown", jobs="UNKNOWN", job="UNKNOWN")
    objects.wait_until_complete("rights")
    for name in ("not-in-flow", "unknown"):
        stall_again(objects, name)

    for component in ("director", "worker"):
        granted = permissions(live, live.account(component))
        pods_metrics_are_read(pods, component)
        eventually(lambda: granted <= used(audited, live, component) | set(UNUSED), f"{component} uses all")  # noqa: B023 - called at once
        asked = audited.asked_by(live.namespace, live.account(component))
        assert [each for each in asked if each.code == 403] == []
        assert used(audited, live, component) <= granted


def test_manager_asks_for_no_other_right_and_uses_those_that_no_controller_needs(
    pods: Pods, audited: AuditedPlane, live: Release
) -> None:
    """What its controllers use is shown where they have something to do: tests/component/rights."""
    pods_metrics_are_read(pods, "manager")

    eventually(lambda: used(audited, live, "manager") >= OF_ANY_MANAGER, "it elects, looks up its hub and is read")

    asked = audited.asked_by(live.namespace, live.account("manager"))
    assert [each for each in asked if each.code == 403] == []
    assert used(audited, live, "manager") <= permissions(live, live.account("manager"))


def stall_again(objects: Objects, name: str) -> None:
    """For the same reason: its event becomes a series, which is a patch."""
    objects.wait_for(name, is_stalled)
    objects.edit_status(name, {"conditions": []})
    objects.wait_for(name, is_stalled)


def pods_metrics_are_read(pods: Pods, component: str) -> None:
    scrape(pods.metrics_url(component), pods.token_in(component))


def used(audited: AuditedPlane, live: Release, component: str) -> set[Permission]:
    return {
        (each.verb, each.group, each.resource)
        for each in audited.asked_by(live.namespace, live.account(component))
        if not is_free(each)
    }


def is_free(asked: Asked) -> bool:
    """Every authenticated user may: system:basic-user says so."""
    return asked.resource == "selfsubjectaccessreviews"


def permissions(live: Release, account: str) -> set[Permission]:
    """What the roles of the release that are bound to *account* allow."""
    manifests = live.manifests()
    bound = {
        (binding["roleRef"]["kind"], binding["roleRef"]["name"])
        for binding in manifests
        if binding["kind"] in {"RoleBinding", "ClusterRoleBinding"}
        and account in [subject["name"] for subject in binding["subjects"]]
    }
    rules = [rule for role in manifests if (role["kind"], role["metadata"]["name"]) in bound for rule in role["rules"]]
    return set(expanded(rules))


def expanded(rules: Iterable[Mapping[str, Any]]) -> Iterable[Permission]:
    for rule in rules:
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                for verb in rule["verbs"]:
                    yield verb, group, resource
