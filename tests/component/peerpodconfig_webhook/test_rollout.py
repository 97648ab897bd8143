"""The five objects of the webhook: made, kept, taken down."""

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Any, TypeVar

import pytest

from apis.confidentialcontainers.peerpodconfig import FailurePolicy
from apis.meta import Key, KubeObject, Unstructured
from controllers.peerpodconfig.webhook.names import (
    AUTHORITY_SECRET,
    CONFIGURATION,
    CONFIGURATION_NAME,
    DEPLOYMENT,
    DEPLOYMENT_NAME,
    SECRET,
    SERVICE,
    SERVICE_NAME,
    SERVING_SECRET,
)
from controllers.peerpodconfig.webhook.secret_data import encoded
from framework.client import Client
from framework.client.client import Kind
from framework.client.observer import Access, Observer
from framework.errors import ConfigurationError, Forbidden, Status
from framework.testing.control_plane.waiting import wait_until
from tests.component.peerpodconfig_webhook.stage import IMAGE, Stage, config

# The configuration is one for the whole cluster.
pytestmark = pytest.mark.xdist_group("peerpods-webhook")
T = TypeVar("T", bound=KubeObject)
MakeStage = Callable[..., Stage]
_ALL = [CONFIGURATION_NAME, DEPLOYMENT_NAME, SERVICE_NAME, AUTHORITY_SECRET, SERVING_SECRET]


@pytest.fixture
def make_stage(client: Client, namespace: str) -> Iterator[MakeStage]:
    def make(**options: Any) -> Stage:
        return Stage(client, namespace, **options)

    yield make
    Stage(client, namespace).rollout.remove()


def test_all_is_made_and_then_left_alone(make_stage: MakeStage) -> None:
    stage = make_stage()

    state = stage.apply()

    assert (state.is_applied, state.is_ready, state.reason) == (True, False, "NotAvailable")
    assert stage.present == _ALL
    assert stage.written()
    stage.apply()
    assert stage.written() == []
    stage.rollout = stage.new_rollout()
    stage.apply()
    assert stage.written() == []


def test_the_configuration_comes_last_and_is_closed_for_pods_of_the_class_alone(make_stage: MakeStage) -> None:
    stage = make_stage(target_runtime_classes=("kata-remote", 'odd"one'))

    stage.apply()

    kinds = [write.split()[1] for write in stage.written()]
    assert kinds.index("MutatingWebhookConfiguration") > max(kinds.index("Service"), kinds.index("Deployment"))
    assert set(kinds[kinds.index("MutatingWebhookConfiguration") :]) == {"MutatingWebhookConfiguration"}
    webhook = stage.webhook
    (rule,) = webhook["rules"]
    assert webhook["name"] == "mwebhook.peerpods.io"
    assert rule == {
        "operations": ["CREATE"],
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["pods"],
        "scope": "Namespaced",
    }
    chosen = ("failurePolicy", "reinvocationPolicy", "matchPolicy", "sideEffects", "timeoutSeconds")
    assert [webhook[name] for name in chosen] == ["Fail", "IfNeeded", "Equivalent", "None", 10]
    assert webhook["admissionReviewVersions"] == ["v1"]
    assert webhook["clientConfig"]["service"] == {
        "namespace": stage.namespace,
        "name": SERVICE_NAME,
        "port": 443,
        "path": "/mutate-v1-pod",
    }
    (condition,) = webhook["matchConditions"]
    assert condition["expression"] == (
        'has(object.spec.runtimeClassName) && object.spec.runtimeClassName in ["kata-remote", "odd\\"one"]'
    )
    (expression,) = webhook["namespaceSelector"]["matchExpressions"]
    assert expression == {
        "key": "kubernetes.io/metadata.name",
        "operator": "NotIn",
        "values": sorted([stage.namespace, "kube-system"]),
    }


def test_upstream_defect_33_the_service_finds_its_own_pods_alone(make_stage: MakeStage) -> None:
    stage = make_stage()

    stage.apply()

    service, deployment = stage.read(SERVICE, SERVICE_NAME), stage.read(DEPLOYMENT, DEPLOYMENT_NAME)
    assert service is not None
    assert deployment is not None
    assert service["spec"]["selector"] == {"app.kubernetes.io/name": "peer-pods-webhook"}
    assert deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert service["spec"]["selector"].items() <= labels.items()


def test_the_deployment_has_no_rights_and_all_settings(make_stage: MakeStage) -> None:
    stage = make_stage(tls_min_version="VersionTLS13", extended_resource="example.com/vm")

    stage.apply(config(replicas=1), config("two", replicas=4))

    deployment = stage.read(DEPLOYMENT, DEPLOYMENT_NAME)
    assert deployment is not None
    assert deployment["spec"]["replicas"] == 4
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"] == {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    assert container["image"] == IMAGE
    assert container["command"] == ["windlass", "webhook"]
    assert {each["name"]: each["value"] for each in container["env"]} == {
        "TARGET_RUNTIMECLASS": "kata-remote",
        "POD_VM_EXTENDED_RESOURCE": "example.com/vm",
        "TLS_MIN_VERSION": "VersionTLS13",
    }
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    (volume,) = pod["volumes"]
    assert volume["secret"]["secretName"] == SERVING_SECRET


def test_it_is_ready_when_a_pod_is_available(make_stage: MakeStage) -> None:
    stage = make_stage()
    stage.apply()

    assert wait_until(lambda: stage.apply().is_ready, limit_seconds=60)
    assert stage.apply().reason == "Available"


def test_the_strictest_of_several_configs_counts(make_stage: MakeStage) -> None:
    stage = make_stage()
    lax, strict = config("lax", policy=FailurePolicy.IGNORE), config("strict")

    stage.apply(lax)
    assert stage.webhook["failurePolicy"] == "Ignore"
    stage.apply(lax, strict)
    assert stage.webhook["failurePolicy"] == "Fail"
    stage.apply(lax, config("off", enabled=False))
    assert stage.webhook["failurePolicy"] == "Ignore"


def test_all_goes_when_nobody_wants_it_and_again_does_nothing(make_stage: MakeStage) -> None:
    stage = make_stage()
    stage.apply()
    stage.written()

    state = stage.apply(config(enabled=False))

    assert (state.is_applied, state.is_ready, state.reason) == (True, True, "Disabled")
    assert stage.present == []
    written = stage.written()
    assert written[0].startswith("delete MutatingWebhookConfiguration")
    assert len(written) == 5
    stage.rollout.remove()
    assert stage.written() == []


def test_disabled_takes_down_what_an_earlier_choice_has_left(make_stage: MakeStage) -> None:
    make_stage().apply()

    state = make_stage(webhook_mode="disabled").apply()

    assert state.reason == "Disabled"
    assert make_stage().present == []


def test_disabled_looks_for_what_is_left_at_its_start_and_with_every_resync(make_stage: MakeStage) -> None:
    stage = make_stage(webhook_mode="disabled", resync_seconds=600.0)
    stage.apply()
    make_stage().apply()

    stage.after(timedelta(seconds=599))
    assert stage.present == _ALL
    stage.after(timedelta(seconds=1))

    assert stage.present == []


def test_disabled_needs_no_rights(make_stage: MakeStage) -> None:
    stage = make_stage(webhook_mode="disabled")
    stage.rollout = stage.new_rollout(stage.client.observed_by(Forbidding()))

    assert stage.apply().is_ready


def test_in_process_needs_neither_deployment_nor_service(make_stage: MakeStage) -> None:
    make_stage().apply()
    stage = make_stage(webhook_mode="in-process", webhook_url="https://127.0.0.1:9443/")

    state = stage.apply()

    assert (state.is_ready, state.reason) == (True, "Available")
    assert stage.present == [CONFIGURATION_NAME, AUTHORITY_SECRET, SERVING_SECRET]
    assert stage.webhook["clientConfig"]["url"] == "https://127.0.0.1:9443/mutate-v1-pod"
    assert "service" not in stage.webhook["clientConfig"]
    assert len(stage.server.shown) == 1


def test_in_process_tells_why_the_server_cannot_answer(make_stage: MakeStage) -> None:
    stage = make_stage(webhook_mode="in-process", webhook_url="https://127.0.0.1:9443")
    stage.server.problem = "the port is not served yet"

    state = stage.apply()

    assert (state.is_ready, state.reason, state.message) == (False, "NotAvailable", "the port is not served yet")


def test_without_an_image_nothing_is_made(make_stage: MakeStage) -> None:
    stage = make_stage(webhook_image="")

    state = stage.apply()

    assert (state.is_applied, state.reason) == (False, "ImageMissing")
    assert stage.present == []


@pytest.mark.parametrize("url", ["http://host:9443", "host:9443", "https://"])
def test_a_url_that_is_none_is_refused(make_stage: MakeStage, url: str) -> None:
    with pytest.raises(ConfigurationError, match="webhook-url"):
        make_stage(webhook_url=url)


def test_what_somebody_changed_is_put_right(make_stage: MakeStage) -> None:
    stage = make_stage()
    stage.apply()
    before = stage.webhook
    entry = {**before, "clientConfig": {key: v for key, v in before["clientConfig"].items() if key != "caBundle"}}
    stage.client.merge_patch(CONFIGURATION, Key("", CONFIGURATION_NAME), {"webhooks": [entry]})
    stage.client.merge_patch(DEPLOYMENT, Key(stage.namespace, DEPLOYMENT_NAME), {"spec": {"replicas": 0}})
    stage.client.delete(SERVICE, Key(stage.namespace, SERVICE_NAME))

    stage.apply()

    deployment = stage.read(DEPLOYMENT, DEPLOYMENT_NAME)
    assert deployment is not None
    assert deployment["spec"]["replicas"] == 2
    assert stage.webhook["clientConfig"]["caBundle"] == before["clientConfig"]["caBundle"]
    assert SERVICE_NAME in stage.present
    stage.written()
    stage.apply()
    assert stage.written() == []


def test_a_configuration_of_another_is_not_touched(make_stage: MakeStage) -> None:
    stage = make_stage()
    foreign = {"metadata": {"name": CONFIGURATION_NAME}, "webhooks": []}
    made = stage.client.create(Unstructured(content=foreign), kind=CONFIGURATION)

    state = stage.apply()

    assert (state.is_applied, state.is_ready, state.reason) == (True, True, "ExternallyManaged")
    assert stage.written() == []
    assert stage.present == [CONFIGURATION_NAME]
    stage.rollout.remove()
    found: Unstructured = stage.client.get(CONFIGURATION, Key("", CONFIGURATION_NAME))
    assert found.metadata.resource_version == made.metadata.resource_version
    stage.client.delete(CONFIGURATION, Key("", CONFIGURATION_NAME))


@pytest.mark.parametrize("name", [AUTHORITY_SECRET, SERVING_SECRET])
def test_a_secret_of_another_is_not_touched(make_stage: MakeStage, name: str) -> None:
    stage = make_stage()
    foreign = {"metadata": {"namespace": stage.namespace, "name": name}, "data": {"a": encoded(b"b")}}
    made = stage.client.create(Unstructured(content=foreign), kind=SECRET)

    state = stage.apply()

    assert (state.is_applied, state.reason) == (False, "NameTaken")
    assert name in state.message
    assert CONFIGURATION_NAME not in stage.present
    stage.rollout.remove()
    found: Unstructured = stage.client.get(SECRET, Key(stage.namespace, name))
    assert found.metadata.resource_version == made.metadata.resource_version


class Forbidding(Observer):
    """Nothing may be done."""

    def sending(self, access: Access) -> None:
        raise Forbidden(Status(code=403, reason="Forbidden", message=f"{access.verb} {access.resource_type}"))


class OldServer(Client):
    """To who writes through it the API server is one before 1.30: it knows no matchConditions."""

    def __init__(self, client: Client) -> None:
        super().__init__(client.connection, field_manager=client.field_manager, observers=client._observers)

    def acting_as(self, field_manager: str, *observers: Any) -> Client:
        return OldServer(super().acting_as(field_manager, *observers))

    def apply(self, kind: Kind[T], desired: T | Mapping[str, Any], *, force: bool = True, subresource: str = "") -> T:
        assert isinstance(desired, Mapping)
        return super().apply(kind, _without_conditions(desired), force=force, subresource=subresource)


def _without_conditions(desired: Mapping[str, Any]) -> Mapping[str, Any]:
    webhooks = [
        {name: value for name, value in each.items() if name != "matchConditions"}
        for each in desired.get("webhooks", ())
    ]
    return {**desired, "webhooks": webhooks} if webhooks else desired


def test_on_a_server_that_drops_conditions_nobody_is_blocked(make_stage: MakeStage) -> None:
    stage = make_stage()
    stage.rollout = stage.new_rollout(OldServer(stage.client.observed_by(stage.writes)))

    state = stage.apply()

    assert (state.is_applied, state.is_ready, state.reason) == (True, False, "MatchConditionsUnsupported")
    assert stage.webhook["failurePolicy"] == "Ignore"
    stage.written()
    assert stage.apply().reason == "MatchConditionsUnsupported"
    assert stage.written() == []

    # The same cluster after an upgrade, seen by the next process.
    stage.rollout = stage.new_rollout()
    assert stage.apply().reason != "MatchConditionsUnsupported"
    assert stage.webhook["failurePolicy"] == "Fail"
    assert stage.webhook["matchConditions"]
