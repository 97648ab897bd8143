"""The API server asks, and people see the answers."""

from typing import Any

import msgspec
import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, KubeObject, Unstructured, kind, resource_type_of
from framework.certificates import CertificateOptions
from framework.errors import NotFound, ServerError
from framework.testing.control_plane.waiting import wait_until
from framework.webhooks import AdmissionRequest, Denied
from framework.webhooks.configuration import MUTATING, VALIDATING
from tests.component.program import Program
from tests.integration.webhooks.stage import LIMIT_SECONDS, Stage
from tests.integration.webhooks.test_conversion import V1, V2

CONFIG_MAP = resource_type_of(ConfigMap)


class Asked:
    """A validator that remembers, warns, and denies what is called bad."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    def __call__(self, request: AdmissionRequest[ConfigMap]) -> None:
        self.seen.append((request.operation, request.key.name))
        request.warn(f"{request.operation} is watched")
        if request.object.data.get("is") == "bad":
            raise Denied("data.is must not be bad", code=422, reason="Invalid")
        if request.object.data.get("is") == "poison":
            raise ValueError("a bug\nof two lines")


@pytest.fixture
def asked(stage: Stage) -> Asked:
    handler = Asked()
    manager = stage.manager()
    manager.webhooks.validate(ConfigMap, handler, stage.hook_options(operations=("CREATE", "UPDATE", "DELETE")))
    stage.start(manager)
    stage.until_called(handler.seen)
    handler.seen.clear()
    return handler


def test_creates_updates_and_deletions_are_asked_about(stage: Stage, asked: Asked) -> None:
    stage.create("a", x="1")
    stage.client.merge_patch(ConfigMap, Key(stage.namespace, "a"), {"data": {"x": "2"}})
    stage.client.delete(ConfigMap, Key(stage.namespace, "a"))

    assert asked.seen == [("CREATE", "a"), ("UPDATE", "a"), ("DELETE", "a")]


def test_kubectl_shows_denials_and_warnings(stage: Stage, asked: Asked, kubectl: Program) -> None:
    said = kubectl("create", "configmap", "a", "--from-literal=is=bad", code=1)

    name = "validate.v1.configmaps.core"
    assert "Warning: CREATE is watched" in said
    assert f'admission webhook "{name}" denied the request: data.is must not be bad' in said
    assert "error: failed to create configmap: " in said


def test_an_update_and_a_deletion_can_be_denied(stage: Stage, asked: Asked, kubectl: Program) -> None:
    stage.create("a", x="1")

    said = kubectl("patch", "configmap", "a", "-p", '{"data":{"is":"bad"}}', code=1)

    assert "data.is must not be bad" in said
    assert stage.client.get(ConfigMap, Key(stage.namespace, "a")).data == {"x": "1"}


def test_a_handler_that_breaks_denies_in_one_line(stage: Stage, asked: Asked, kubectl: Program) -> None:
    said = kubectl("create", "configmap", "a", "--from-literal=is=poison", code=1)

    assert "the webhook /validate--v1-configmap failed: ValueError: a bug of two lines" in said
    assert "Traceback" not in said
    with pytest.raises(ServerError) as failure:
        stage.create("a", **{"is": "poison"})
    assert failure.value.code == 500


def test_a_mutation_changes_what_it_changes_and_nothing_else(stage: Stage) -> None:
    seen: list[bool] = []

    def paint(request: AdmissionRequest[Any]) -> Any:
        seen.append(request.dry_run)
        return msgspec.structs.replace(request.object, data={**request.object.data, "colour": "red"})

    manager = stage.manager()
    codec_kind: Any = _typed_part()
    manager.webhooks.mutate(codec_kind, paint, stage.hook_options())
    stage.start(manager)
    stage.until_called(seen)
    content = {
        "metadata": {"name": "a", "namespace": stage.namespace, "labels": {"l": "1"}},
        "data": {"x": "1"},
        "binaryData": {"b": "AAAA"},
    }

    made = stage.client.create(Unstructured(content=content), kind=CONFIG_MAP)

    assert made.content["data"] == {"x": "1", "colour": "red"}
    assert made.content["binaryData"] == {"b": "AAAA"}
    assert made.content["metadata"]["labels"] == {"l": "1"}


def _typed_part() -> Any:
    """The kind must be called ConfigMap."""

    @kind(group="", version="v1", plural="configmaps", builtin=True)
    class ConfigMap(KubeObject, frozen=True, kw_only=True):
        data: dict[str, str] = msgspec.field(default_factory=dict)

    return ConfigMap


def test_user_and_dry_run_are_told(stage: Stage, kubectl: Program) -> None:
    seen: list[tuple[bool, bool]] = []

    def look(request: AdmissionRequest[ConfigMap]) -> None:
        seen.append((request.dry_run, "system:authenticated" in request.user.groups))

    manager = stage.manager()
    manager.webhooks.validate(ConfigMap, look, stage.hook_options())
    stage.start(manager)
    stage.until_called(seen)

    kubectl("create", "configmap", "a", "--dry-run=server")

    assert seen[-1] == (True, True)
    with pytest.raises(NotFound):
        stage.client.get(ConfigMap, Key(stage.namespace, "a"))


def test_reviews_under_way_are_answered_when_the_manager_stops(stage: Stage) -> None:
    seen: list[Any] = []
    manager = stage.manager()
    runtime = manager.runtime
    began, may_end, made = runtime.event(), runtime.event(), runtime.event()

    def wait(request: AdmissionRequest[ConfigMap]) -> None:
        seen.append(request.key)
        if request.key.name == "slow":
            began.set()
            may_end.wait(10)

    manager.webhooks.validate(ConfigMap, wait, stage.hook_options())
    stage.start(manager)
    stage.until_called(seen)

    def create() -> None:
        stage.create("slow")
        made.set()

    runtime.spawn("slow-create", create)
    assert began.wait(LIMIT_SECONDS)
    stopping = runtime.spawn("stop", lambda: _ignored(manager.stop()))
    may_end.set()
    stopping.join(LIMIT_SECONDS)

    assert made.wait(LIMIT_SECONDS)
    assert not stopping.is_alive()


def test_a_manager_that_is_gone_refuses_what_must_not_pass(stage: Stage) -> None:
    seen: list[Any] = []
    manager = stage.manager()
    manager.webhooks.validate(ConfigMap, seen.append, stage.hook_options())
    stage.start(manager)
    stage.until_called(seen)

    manager.stop()

    with pytest.raises(ServerError, match="failed calling webhook"):
        stage.create("a")


def test_drift_of_the_configuration_is_repaired_at_once(stage: Stage) -> None:
    seen: list[Any] = []
    manager = stage.manager(CertificateOptions(secret=Key(stage.namespace, "certificates"), poll_seconds=3600))
    manager.webhooks.validate(ConfigMap, seen.append, stage.hook_options())
    stage.start(manager)
    change = [{"op": "remove", "path": "/webhooks/0/clientConfig/caBundle"}]
    stage.client.json_patch(VALIDATING, Key("", stage.name), change)

    def is_repaired() -> bool:
        found: Unstructured = stage.client.get(VALIDATING, Key("", stage.name))
        return "caBundle" in found.content["webhooks"][0]["clientConfig"]

    assert wait_until(is_repaired, limit_seconds=LIMIT_SECONDS)


def test_a_configuration_that_the_program_has_no_more_use_for_goes_away(stage: Stage) -> None:
    first = stage.manager()
    first.webhooks.mutate(ConfigMap, lambda _: None, stage.hook_options())
    stage.start(first)
    first.stop()
    foreign = {"metadata": {"name": stage.name}, "webhooks": []}
    stage.client.create(Unstructured(content=foreign), kind=VALIDATING)

    second = stage.manager()
    second.webhooks.convert(V1, V2, lambda box: box, lambda box: box)
    stage.start(second)

    with pytest.raises(NotFound):
        stage.client.get(MUTATING, Key("", stage.name))
    kept: KubeObject = stage.client.get(VALIDATING, Key("", stage.name))
    assert kept.metadata.name == stage.name, "what we have not made stays"


def test_a_settled_manager_writes_nothing(stage: Stage) -> None:
    seen: list[Any] = []
    manager = stage.manager()
    manager.webhooks.validate(ConfigMap, seen.append, stage.hook_options())
    manager.webhooks.mutate(ConfigMap, lambda _: None, stage.hook_options())
    stage.start(manager)

    def versions() -> list[str]:
        found: KubeObject = stage.client.get(VALIDATING, Key("", stage.name))
        return [found.metadata.resource_version, stage.secret().metadata.resource_version]

    before = versions()
    for _ in range(3):
        manager.webhooks._served._certificates.round()

    assert versions() == before


def _ignored(_: object) -> None:
    return None
