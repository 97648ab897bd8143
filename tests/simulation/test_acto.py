"""Acto's oracles: our controllers follow their spec by whatever road it is reached, and who does not is found."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from apis.meta import ObjectMeta, Request
from apis.requeststate.v1 import RequestState, RequestStateSpec, State
from apis.schema import crds_of
from examples import website
from examples.shared_folder import SharedFolder, SharedFolderSpec
from examples.website import Website, WebsiteReconciler, WebsiteSpec, deployment_of
from framework.controller import Primary
from framework.manager import Manager
from framework.reconcile import Result
from framework.testing.simulation import Report, SimulationFailed, campaign, plan_from
from framework.testing.simulation.schema_edits import edits_of
from tests.simulation.scenarios import requeststate, shared_folders

METADATA = ObjectMeta(name="one", namespace="default")
WEBSITE = Website(metadata=METADATA, spec=WebsiteSpec(image="web:1", replicas=2))


def of_website(register: Any) -> Report:
    return campaign(register, WEBSITE, definitions=crds_of((Website,)))


def test_website_follows_its_spec(request: pytest.FixtureRequest) -> None:
    campaign_of_plugin = request.getfixturevalue("campaign")

    report = campaign_of_plugin(website.register, WEBSITE, definitions=crds_of((Website,)))

    assert report.plans >= 20
    assert report.untouched == ()


def test_shared_folder_follows_its_spec(tmp_path: Path) -> None:
    scenario = shared_folders(tmp_path)
    resource = SharedFolder(metadata=METADATA, spec=SharedFolderSpec(greeting="hello"))

    report = campaign(scenario.processes, resource, definitions=scenario.definitions, outside=scenario.outside)

    assert report.plans >= 12
    assert report.untouched == ()


def test_request_state_is_born_with_every_spec(tmp_path: Path) -> None:
    scenario = requeststate(tmp_path)
    spec = RequestStateSpec(request_uid="one", job="JOB1", state=State.REQUESTED)

    # The controllers move the spec on: there is no road back to what it was at birth.
    report = campaign(
        scenario.processes,
        RequestState(metadata=METADATA, spec=spec),
        definitions=scenario.definitions,
        quiet_seconds=scenario.quiet_seconds,
        fixed=scenario.fixed,
    )

    assert report.plans >= 9
    assert report.untouched == ()


class OnlyAtBirth(WebsiteReconciler):
    """The replicas of a Deployment that is there are never changed."""

    def reconcile(self, request: Request) -> Result:
        current, deployment = self.websites.get(request.key), self.deployments.lister.get(request.key)
        if current is not None:
            wanted = deployment_of(current)
            if deployment is not None:
                wanted["spec"]["replicas"] = deployment.content["spec"]["replicas"]
            self.children.converge(current, [wanted])
        return Result.await_change()


class StuckWhenEmpty(WebsiteReconciler):
    """A Deployment without replicas is taken for one that somebody has switched off."""

    def reconcile(self, request: Request) -> Result:
        deployment = self.deployments.lister.get(request.key)
        if deployment is not None and deployment.content["spec"]["replicas"] == 0:
            return Result.await_change()
        return super().reconcile(request)


def registered(reconciler: type[WebsiteReconciler]) -> Any:
    def register(manager: Manager) -> None:
        manager.add_controller("website", reconciler(manager), [Primary(manager.informer(Website))])

    return register


def test_a_field_that_is_ignored_when_it_changes_is_found() -> None:
    with pytest.raises(SimulationFailed, match="acto: another road does not lead to what the same spec gives") as found:
        of_website(registered(OnlyAtBirth))

    assert "deployments.apps/default/one: .spec.replicas is 2, not " in str(found.value)


def test_who_does_not_come_back_from_a_bad_spec_is_found() -> None:
    with pytest.raises(SimulationFailed, match="acto: going back does not restore what the same spec gives"):
        of_website(registered(StuckWhenEmpty))


def test_the_plan_of_a_failure_fails_again() -> None:
    with pytest.raises(SimulationFailed) as found:
        of_website(registered(OnlyAtBirth))

    plan = plan_from(str(found.value.report.failures[0].plan))
    with pytest.raises(SimulationFailed, match="1 plans"):
        campaign(registered(OnlyAtBirth), WEBSITE, definitions=crds_of((Website,)), plan=plan)


SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "minLength": 3, "maxLength": 5},
        "size": {"type": "integer", "minimum": 1, "maximum": 9},
        "color": {"type": "string", "enum": ["red", "blue"]},
        "is_open": {"type": "boolean"},
        "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"},
        "share": {"x-kubernetes-int-or-string": True},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "ports": {
            "type": "array",
            "items": {"type": "object", "required": ["port"], "properties": {"port": {"type": "integer"}}},
        },
        "store": {"type": "object", "required": ["class"], "properties": {"class": {"type": "string"}}},
    },
}
SPEC = {"name": "four", "color": "red", "labels": {"a": "b"}, "ports": [{"port": 1}, {"port": 2}]}


def test_every_field_is_changed_in_every_way() -> None:
    found = {str(edit) for edit in edits_of(SCHEMA, SPEC)}

    assert {
        "spec.name as short as can be",
        "spec.name as long as can be",
        "spec.size at its minimum",
        "spec.size at its maximum",
        "spec.color is 'blue'",
        "spec.color removed",
        "spec.is_open is true",
        "spec.is_open is false",
        "spec.code another that fits the pattern",
        "spec.share a number",
        "spec.share a share",
        "spec.labels entry added",
        "spec.labels.a entry removed",
        "spec.labels.a is 'another'",
        "spec.labels removed",
        "spec.ports item added",
        "spec.ports order turned round",
        "spec.ports[0] item removed",
        "spec.ports[1].port is 3",
        "spec.store added",
    } <= found
    assert "spec.name removed" not in found
    assert "spec.color is 'red'" not in found


def test_a_pattern_is_kept_to() -> None:
    code = next(edit for edit in edits_of(SCHEMA, SPEC) if edit.path == "spec.code")

    assert code.spec == {**SPEC, "code": "AA-0"}


def test_a_field_that_the_server_never_lets_change_is_told() -> None:
    (definition,) = crds_of((Website,))
    rule = b'"minLength":1,"maxLength":40,"x-kubernetes-validations":[{"rule":"self == \'web:1\'"}]'
    text = msgspec.json.encode(definition).replace(b'"minLength":1', rule)

    report = campaign(website.register, WEBSITE, definitions=[msgspec.json.decode(text)])

    assert report.untouched == ("spec.image",)


def test_an_edit_is_of_one_field_and_leaves_the_others() -> None:
    added = next(edit for edit in edits_of(SCHEMA, SPEC) if str(edit) == "spec.labels entry added")

    assert added.spec == {**SPEC, "labels": {"a": "b", "another": "another"}}
