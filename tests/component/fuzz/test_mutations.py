"""Objects of every kind, with something wrong at a random place: taken or refused, and never a failure."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from tests.component.fuzz.rich_definition import DEFINITION, GROUP, THING
from tests.component.fuzz.subject import Subject, failing_loudly
from tests.component.fuzz.values import dice_of, mutated
from tests.conformance.builtin.manifests import MINIMAL, RICH

# So many objects of each manifest.
OBJECTS = int(os.environ.get("WINDLASS_FUZZ", "300")) // 10
SEEDS = st.integers(0, 2**64 - 1)
_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"
_THINGS = f"/apis/{GROUP}/v1/namespaces/default/things"
MANIFESTS = {**{f"rich-{name}": one for name, one in RICH.items()}, **MINIMAL, "thing": THING}
_PATCHES = (
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
)


@pytest.fixture
def subject() -> Iterator[Subject]:
    with failing_loudly():
        subject = Subject()
        assert subject.request("POST", _DEFINITIONS, DEFINITION).status == 201
        for name in ("default", "builder"):
            assert subject.request("POST", _ACCOUNTS, {"metadata": {"name": name}}).status == 201
        yield subject


@pytest.mark.timeout(600)
@pytest.mark.parametrize("manifest", MANIFESTS.values(), ids=MANIFESTS)
def test_an_object_with_something_wrong_is_taken_or_refused(subject: Subject, manifest: Any) -> None:
    path = subject.path_of(manifest)

    @settings(max_examples=OBJECTS, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(SEEDS)
    def run(seed: int) -> None:
        obj = mutated(dice_of(seed), manifest)
        note(f"{obj}")
        subject.request("POST", f"{path}?dryRun=All", obj)

    run()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("manifest", MANIFESTS.values(), ids=MANIFESTS)
def test_a_change_with_something_wrong_is_taken_or_refused(subject: Subject, manifest: Any) -> None:
    path = subject.path_of(manifest)
    name = manifest["metadata"]["name"]
    assert subject.request("POST", path, manifest).status == 201
    live = subject.get(f"{path}/{name}")

    @settings(max_examples=OBJECTS, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(SEEDS)
    def run(seed: int) -> None:
        dice = dice_of(seed)
        obj = mutated(dice, live)
        note(f"{obj}")
        target = f"{path}/{name}{dice.choice(('', '', '/status'))}?dryRun=All"
        subject.request("PUT", target, obj)
        patch = _without_managers(obj)
        subject.request("PATCH", f"{target}&fieldManager=x&force=true", patch, content_type=dice.choice(_PATCHES))

    run()


@pytest.mark.timeout(600)
@settings(max_examples=OBJECTS * 20, deadline=None, suppress_health_check=list(HealthCheck))
@given(SEEDS)
def test_a_definition_with_something_wrong_is_refused_or_served(seed: int) -> None:
    with failing_loudly():
        subject = Subject()
        definition = mutated(dice_of(seed), DEFINITION)
        note(f"{definition}")

        subject.request("POST", _DEFINITIONS, definition)

        for target in ("/apis", f"/openapi/v3/apis/{GROUP}/v1"):
            assert subject.request("GET", target).status in {200, 404}
        subject.request("POST", _THINGS, THING)
        subject.request("GET", _THINGS, accept="application/json;as=Table;v=v1;g=meta.k8s.io")
        subject.request("GET", f"{_THINGS}/sample/scale")
        subject.check()


def _without_managers(obj: Any) -> Any:
    """An apply may not have any."""
    if not isinstance(obj, dict) or not isinstance(obj.get("metadata"), dict):
        return obj
    return {**obj, "metadata": {name: value for name, value in obj["metadata"].items() if name != "managedFields"}}
