"""What a real API server makes of the generated CRDs."""

import json
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Meta

from apis.meta import (
    EMBEDDED_RESOURCE,
    MAP_ATOMIC,
    NULLABLE,
    ApiStruct,
    IntOrString,
    KubeObject,
    ObjectMeta,
    Rule,
    Scale,
    Time,
    field_rules,
    kind,
    list_map,
    micro_time,
    rules,
    server_default,
)
from apis.registry import CUSTOM_KINDS
from apis.requeststate.v1 import RequestState
from apis.schema import crd_of, crds_of, to_yaml

CRDS = Path(__file__).parent.parent.parent / "crds"
CRD = "requeststates.com.redhat.ecosystem.sample"
Kubectl = Callable[..., subprocess.CompletedProcess[str]]

Name = Annotated[str, Meta(min_length=1, max_length=63, pattern=r"^[a-z]([-a-z0-9]*[a-z0-9])?$")]


class Color(Enum):
    RED = "red"
    BLUE = "blue"


@rules(Rule(rule="self.name == oldSelf.name", message="name is immutable", field_path=".name"))
class Item(ApiStruct, frozen=True, kw_only=True):
    name: Name
    note: str = "none"


@rules(
    Rule(rule="self.items.all(item, item.name != self.name)", message="items are not called as the whole"),
    Rule(rule="self.odd__dash__name > 0", message="odd-name is positive", field_path="['odd-name']"),
)
class EverySpec(ApiStruct, frozen=True, kw_only=True):
    name: Annotated[Name, field_rules(Rule(rule="self.startsWith('a')", message="name begins with a"))]
    odd: int = msgspec.field(name="odd-name", default=1)
    items: Annotated[list[Item], Meta(max_length=9), list_map("name")]
    color: Color = Color.RED
    port: Annotated[int, Meta(ge=1, le=65535)] = 80
    share: Annotated[float, Meta(gt=0, lt=1)] = 0.5
    tags: set[str] = msgspec.field(default_factory=set)
    pair: tuple[int, int] = (1, 2)
    labels: dict[str, str] = msgspec.field(default_factory=lambda: {"a": "b"})
    free: dict[str, Any] = msgspec.field(default_factory=dict)
    anything: Any = None
    target: IntOrString = "http"
    blob: Annotated[bytes, Meta(max_length=9)] = b"a"
    at: Time | None = None
    nothing: Annotated[str | None, NULLABLE] = None
    zero: Annotated[int, server_default(0)] = 0
    template: Annotated[dict[str, Any], EMBEDDED_RESOURCE] = msgspec.field(default_factory=dict)
    fixed: Annotated[Item | None, MAP_ATOMIC] = None
    meta: ObjectMeta = ObjectMeta()


class EveryStatus(ApiStruct, frozen=True, kw_only=True):
    replicas: int = 0


@kind(
    group="example.com",
    version="v1alpha1",
    plural="everythings",
    scope="Cluster",
    categories=("all",),
    status=True,
    scale=Scale(spec_replicas=".spec.port"),
    deprecated=True,
    deprecation_warning="use nothing",
    selectable_fields=(".spec.name",),
)
class Everything(KubeObject, frozen=True, kw_only=True):
    """All that a schema can say."""

    spec: EverySpec
    status: EveryStatus = EveryStatus()


pytestmark = pytest.mark.xdist_group("crds")


def a_manifest(name: str = "request", **spec: Any) -> str:
    whole = {"request-uid": "uid-1", "job": "JOB1", "state": "REQUESTED"} | spec
    manifest = {
        "apiVersion": "com.redhat.ecosystem.sample/v1",
        "kind": "RequestState",
        "metadata": {"name": name},
        "spec": {key: value for key, value in whole.items() if value is not None},
    }
    return json.dumps(manifest)


def apply(kubectl: Kubectl, namespace: str, manifest: str) -> subprocess.CompletedProcess[str]:
    return kubectl("apply", "--namespace", namespace, "-f", "-", input=manifest)


def patch_status(kubectl: Kubectl, namespace: str, status: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    patch = json.dumps({"status": status})
    options = ("--namespace", namespace, "--subresource=status", "--type=merge", "-p", patch)
    return kubectl("patch", "reqstate", "request", *options)


def test_the_files_in_the_tree_apply_server_side(kubectl: Kubectl) -> None:
    applied = kubectl("apply", "--server-side", "--force-conflicts", "-f", str(CRDS))

    assert applied.returncode == 0, applied.stderr


@pytest.mark.parametrize("crd", crds_of(CUSTOM_KINDS), ids=lambda crd: crd["metadata"]["name"])
def test_every_crd_is_established_and_structural(kubectl: Kubectl, crd: dict[str, Any]) -> None:
    name = crd["metadata"]["name"]

    waited = kubectl("wait", "--for=condition=Established", f"crd/{name}", "--timeout=30s")

    assert waited.returncode == 0, waited.stderr
    stored = json.loads(kubectl("get", "crd", name, "-o", "json").stdout)
    conditions = {condition["type"]: condition["status"] for condition in stored["status"]["conditions"]}
    assert conditions["NamesAccepted"] == "True"
    assert "NonStructuralSchema" not in conditions


def test_a_kind_with_a_field_of_every_type_is_accepted(kubectl: Kubectl) -> None:
    applied = kubectl("apply", "--dry-run=server", "--validate=strict", "-f", "-", input=to_yaml(crd_of(Everything)))

    assert applied.returncode == 0, applied.stderr
    assert applied.stderr == ""


def test_the_server_stores_the_schema_as_it_was_generated(kubectl: Kubectl) -> None:
    generated = crd_of(RequestState)["spec"]["versions"][0]["schema"]

    stored = json.loads(kubectl("get", "crd", CRD, "-o", "json").stdout)

    assert stored["spec"]["versions"][0]["schema"] == generated


@pytest.mark.parametrize("state", ["REQUESTED", "STARTED", "COMPLETED", "FAILED"])
def test_a_manifest_may_be_born_in_any_state(kubectl: Kubectl, namespace: str, state: str) -> None:
    applied = apply(kubectl, namespace, a_manifest(state=state))

    assert applied.returncode == 0, applied.stderr


@pytest.mark.parametrize("field", ["request-uid", "job", "state"])
@pytest.mark.parametrize("value", [None, ""], ids=["missing", "empty"])
def test_a_field_without_a_value_is_rejected_by_name(
    kubectl: Kubectl, namespace: str, field: str, value: str | None
) -> None:
    spec: dict[str, Any] = {field: value}

    applied = apply(kubectl, namespace, a_manifest(**spec))

    assert applied.returncode != 0
    assert f"spec.{field}" in applied.stderr


@pytest.mark.parametrize(
    ("field", "value"),
    [("state", "DONE"), ("state", "requested"), ("job", "-JOB1"), ("job", "J" * 64), ("request-uid", "u" * 254)],
)
def test_a_value_outside_of_its_limits_is_rejected_by_name(
    kubectl: Kubectl, namespace: str, field: str, value: str
) -> None:
    applied = apply(kubectl, namespace, a_manifest(**{field: value}))

    assert applied.returncode != 0
    assert f"spec.{field}" in applied.stderr


def test_a_manifest_without_spec_is_rejected_by_name(kubectl: Kubectl, namespace: str) -> None:
    manifest = json.loads(a_manifest())
    del manifest["spec"]

    applied = apply(kubectl, namespace, json.dumps(manifest))

    assert applied.returncode != 0
    assert "spec: Required value" in applied.stderr


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("JOB1", "REQUESTED"), ("JOB1", "REQUESTED")),
        (("JOB1", "REQUESTED"), ("JOB1", "STARTED")),
        (("JOB1", "STARTED"), ("JOB1", "COMPLETED")),
        (("JOB1", "STARTED"), ("JOB1", "FAILED")),
        (("JOB1", "COMPLETED"), ("JOB2", "REQUESTED")),
    ],
)
def test_a_step_of_the_flow_is_accepted(
    kubectl: Kubectl, namespace: str, before: tuple[str, str], after: tuple[str, str]
) -> None:
    apply(kubectl, namespace, a_manifest(job=before[0], state=before[1])).check_returncode()

    changed = apply(kubectl, namespace, a_manifest(job=after[0], state=after[1]))

    assert changed.returncode == 0, changed.stderr


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("REQUESTED", "COMPLETED"),
        ("REQUESTED", "FAILED"),
        ("STARTED", "REQUESTED"),
        ("COMPLETED", "REQUESTED"),
        ("COMPLETED", "STARTED"),
        ("COMPLETED", "FAILED"),
        ("FAILED", "REQUESTED"),
        ("FAILED", "STARTED"),
        ("FAILED", "COMPLETED"),
    ],
)
def test_a_state_that_does_not_follow_is_rejected_with_what_is_allowed(
    kubectl: Kubectl, namespace: str, before: str, after: str
) -> None:
    apply(kubectl, namespace, a_manifest(state=before)).check_returncode()

    changed = apply(kubectl, namespace, a_manifest(state=after))

    assert changed.returncode != 0
    assert f"spec.state: Forbidden: spec.state cannot go from {before} to {after}" in changed.stderr
    assert "from REQUESTED to STARTED, and from STARTED to COMPLETED or FAILED" in changed.stderr


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("REQUESTED", "REQUESTED"),
        ("STARTED", "REQUESTED"),
        ("FAILED", "REQUESTED"),
        ("COMPLETED", "COMPLETED"),
        ("COMPLETED", "STARTED"),
    ],
)
def test_a_job_changes_only_from_completed_to_requested(
    kubectl: Kubectl, namespace: str, before: str, after: str
) -> None:
    apply(kubectl, namespace, a_manifest(job="JOB1", state=before)).check_returncode()

    changed = apply(kubectl, namespace, a_manifest(job="JOB2", state=after))

    assert changed.returncode != 0
    assert "spec.job: Forbidden: spec.job cannot change from JOB1 to JOB2" in changed.stderr
    assert "only together with spec.state REQUESTED" in changed.stderr


def test_the_request_uid_never_changes(kubectl: Kubectl, namespace: str) -> None:
    apply(kubectl, namespace, a_manifest()).check_returncode()

    changed = apply(kubectl, namespace, a_manifest(**{"request-uid": "uid-2"}))

    assert changed.returncode != 0
    assert "request-uid" in changed.stderr
    assert "Forbidden: spec.request-uid is immutable" in changed.stderr


def test_times_to_the_microsecond_survive_the_server(kubectl: Kubectl, namespace: str) -> None:
    apply(kubectl, namespace, a_manifest()).check_returncode()
    whole_second = micro_time(datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC))
    entry = {"job": "JOB1", "state": "STARTED", "timestamp": whole_second, "requestedAt": "2025-01-02T03:04:04.000001Z"}
    claim = {"worker": "w-1", "acquireTime": whole_second, "renewTime": whole_second}

    patched = patch_status(kubectl, namespace, {"history": [entry], "claim": claim, "observedGeneration": 1})

    assert patched.returncode == 0, patched.stderr
    stored = kubectl("get", "reqstate", "request", "--namespace", namespace, "-o", "json").stdout
    decoded = msgspec.json.decode(stored, type=RequestState)
    assert msgspec.to_builtins(decoded.status) == {"history": [entry], "claim": claim, "observedGeneration": 1}


def test_a_history_entry_without_a_timestamp_is_rejected_by_name(kubectl: Kubectl, namespace: str) -> None:
    apply(kubectl, namespace, a_manifest()).check_returncode()

    patched = patch_status(kubectl, namespace, {"history": [{"job": "JOB1", "state": "STARTED"}]})

    assert patched.returncode != 0
    assert "status.history[0].timestamp" in patched.stderr


def test_a_released_claim_is_gone(kubectl: Kubectl, namespace: str) -> None:
    apply(kubectl, namespace, a_manifest()).check_returncode()
    now = "2025-01-02T03:04:05.000000Z"
    patch_status(kubectl, namespace, {"claim": {"worker": "w-1", "acquireTime": now, "renewTime": now}})

    released = patch_status(kubectl, namespace, {"claim": None})

    assert released.returncode == 0, released.stderr
    stored = json.loads(kubectl("get", "reqstate", "request", "--namespace", namespace, "-o", "json").stdout)
    assert "claim" not in stored.get("status", {})


def test_kubectl_shows_job_state_worker_and_age(kubectl: Kubectl, namespace: str) -> None:
    apply(kubectl, namespace, a_manifest()).check_returncode()
    now = "2025-01-02T03:04:05.000000Z"
    patch_status(kubectl, namespace, {"claim": {"worker": "w-1", "acquireTime": now, "renewTime": now}})

    listed = kubectl("get", "reqstate", "--namespace", namespace).stdout.splitlines()

    assert listed[0].split() == ["NAME", "JOB", "STATE", "WORKER", "AGE"]
    assert listed[1].split()[:4] == ["request", "JOB1", "REQUESTED", "w-1"]


@pytest.mark.parametrize("selector", ["spec.state=STARTED", "spec.job=JOB2", "spec.job=JOB2,spec.state=STARTED"])
def test_requests_are_selected_by_job_and_state(kubectl: Kubectl, namespace: str, selector: str) -> None:
    apply(kubectl, namespace, a_manifest("other")).check_returncode()
    apply(kubectl, namespace, a_manifest("wanted", job="JOB2", state="STARTED")).check_returncode()

    listed = kubectl("get", "reqstate", "--namespace", namespace, "--field-selector", selector, "-o", "name")

    assert listed.stdout.split() == ["requeststate.com.redhat.ecosystem.sample/wanted"]


def test_kubectl_explains_the_fields(kubectl: Kubectl) -> None:
    explained = kubectl("explain", "requeststate.spec").stdout

    assert "Which job is in which state." in explained
    assert all(field in explained for field in ("request-uid", "job", "state"))


@pytest.mark.parametrize(("text", "accepted"), [("2025-01-02T03:04:05.000000Z", True), ("2025-01-02T03:04:05Z", False)])
def test_a_lease_wants_all_six_digits(kubectl: Kubectl, namespace: str, text: str, accepted: bool) -> None:  # noqa: FBT001 - the expectation
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "lease"}}
    spec = {"holderIdentity": "me", "leaseDurationSeconds": 15, "renewTime": text}

    created = kubectl("create", "--namespace", namespace, "-f", "-", input=json.dumps(lease | {"spec": spec}))

    assert (created.returncode == 0) is accepted
