"""What a WorkerDeployment makes of its templates."""

from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import ReleasePhase, WorkerRelease
from tests.component.workers.world import World


def active(world: World, name: str) -> str:
    return world.one(WorkerDeployment, name).status.active_release


def release_of(world: World, script: str, version: str) -> WorkerRelease:
    return next(each for each in world.releases(script) if each.spec.script_urls[0].endswith(f"/{version}"))


def deploy_and_wait(world: World, version: str) -> str:
    name = world.deploy("hello", version)
    world.until(lambda: any(each.spec.script_urls[0].endswith(f"/{version}") for each in world.releases("hello")))
    world.until(lambda: active(world, name) == release_of(world, "hello", version).metadata.name)
    return name


def test_a_template_that_comes_back_has_its_release_again_with_the_highest_revision(world: World) -> None:
    deploy_and_wait(world, "a")
    deploy_and_wait(world, "b")
    name = world.deploy("hello", "a")

    world.until(lambda: world.one(WorkerDeployment, name).status.revision == 3)

    first, last = world.releases("hello")
    assert [first.spec.script_urls[0][-1], last.spec.script_urls[0][-1]] == ["b", "a"]
    assert active(world, name) == last.metadata.name


def test_the_active_and_the_newest_inactive_releases_are_kept(world: World) -> None:
    name = world.deploy("hello", "v0", releaseHistoryLimit=2)
    for version in ("v1", "v2", "v3", "v4"):
        deploy_and_wait(world, version)

    world.until(lambda: len(world.releases("hello")) == 3)

    assert [each.spec.script_urls[0][-2:] for each in world.releases("hello")] == ["v2", "v3", "v4"]
    assert active(world, name) == release_of(world, "hello", "v4").metadata.name


def test_the_serving_release_is_not_pruned_however_old_it_is(world: World) -> None:
    world.account()
    deploy_and_wait(world, "v0")
    world.serve()
    world.deploy("hello", "v1", releaseHistoryLimit=0)
    deploy_and_wait(world, "v2")

    world.until(lambda: len(world.releases("hello")) == 2)

    assert [each.spec.script_urls[0][-2:] for each in world.releases("hello")] == ["v0", "v2"]


def test_a_pinned_release_is_active_until_the_pin_is_taken_off(world: World) -> None:
    for version in ("a", "b", "c"):
        name = deploy_and_wait(world, version)
    first, last = release_of(world, "hello", "a"), release_of(world, "hello", "c")

    world.client.merge_patch(WorkerDeployment, world.key(name), {"spec": {"activeRelease": first.metadata.name}})
    world.until(lambda: active(world, name) == first.metadata.name)
    world.client.merge_patch(WorkerDeployment, world.key(name), {"spec": {"activeRelease": None}})

    world.until(lambda: active(world, name) == last.metadata.name)
    assert len(world.releases("hello")) == 3


def test_a_pin_on_nothing_keeps_what_was_active(world: World) -> None:
    name = deploy_and_wait(world, "a")
    before = active(world, name)

    world.client.merge_patch(WorkerDeployment, world.key(name), {"spec": {"activeRelease": "gone"}})

    world.until(lambda: world.condition(WorkerDeployment, name, "Progressing") == ("False", "ReleaseNotFound"))
    assert active(world, name) == before


def test_a_pin_by_version_id_waits_for_its_release_and_then_holds(world: World) -> None:
    name = deploy_and_wait(world, "a")
    before = active(world, name)
    # As an upload without a deploy does it: a new template, and a pin on what was active.
    world.client.merge_patch(
        WorkerDeployment,
        world.key(name),
        {"spec": {"activeRelease": before, "template": {"versionId": "id-2", "scriptUrls": ["s3://scripts/x/y/2"]}}},
    )
    world.until(lambda: len(world.releases("hello")) == 2)
    assert active(world, name) == before

    world.client.merge_patch(WorkerDeployment, world.key(name), {"spec": {"activeRelease": "id-2"}})

    world.until(lambda: active(world, name) == world.releases("hello")[-1].metadata.name)


def test_a_paused_deployment_makes_no_release(world: World) -> None:
    name = deploy_and_wait(world, "a")
    world.client.merge_patch(WorkerDeployment, world.key(name), {"spec": {"paused": True}})
    world.deploy("hello", "b")
    generation = world.one(WorkerDeployment, name).metadata.generation

    world.until(lambda: world.one(WorkerDeployment, name).status.observed_generation == generation)

    assert len(world.releases("hello")) == 1


def test_the_placeholder_of_a_date_is_reported_and_a_date_in_its_notation_is_normalised(world: World) -> None:
    name = world.deploy("hello", "a", compatibilityDate="MM/DD/YYYY")
    world.until(lambda: world.condition(WorkerDeployment, name, "Valid") == ("False", "InvalidCompatibilityDate"))
    assert world.releases("hello") == []

    world.deploy("hello", "a", compatibilityDate="07/03/2023")

    world.until(lambda: len(world.releases("hello")) == 1)
    assert world.releases("hello")[0].spec.compatibility_date == "2023-07-03"


def test_a_release_without_an_account_says_so_and_is_built_when_one_comes(world: World) -> None:
    deploy_and_wait(world, "a")
    world.until(lambda: world.releases("hello")[0].status.phase is ReleasePhase.PENDING)
    name = world.releases("hello")[0].metadata.name
    assert world.condition(WorkerRelease, name, "AccountFound") == ("False", "NoMatchingAccount")

    world.account()
    world.serve()

    world.until(lambda: world.releases("hello")[0].status.phase is ReleasePhase.ACTIVE)
