"""What a WorkerDeployment makes of its templates, with real garbage collection and a real check of what may change."""

import pytest

from apis.cfworker.jobbuilder import JobBuilder, JobBuilderSpec
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease, WorkerReleaseSpec
from framework.errors import Invalid
from tests.component.workers.test_builds import ports
from tests.component.workers.test_releases import active, deploy_and_wait, release_of
from tests.component.workers.world import ACCOUNT
from tests.integration.workers.conftest import Site
from tests.integration.workers.kubelet import refuses
from tests.integration.workers.test_served import is_serving, serve


def versions(site: Site) -> list[str]:
    return [each.spec.script_urls[0].rpartition("/")[2] for each in site.releases("hello")]


def test_of_five_templates_the_active_and_two_before_it_remain(site: Site) -> None:
    name = site.deploy("hello", "v0", releaseHistoryLimit=2)
    for version in ("v1", "v2", "v3", "v4"):
        deploy_and_wait(site, version)

    site.until(lambda: versions(site) == ["v2", "v3", "v4"])

    assert active(site, name) == release_of(site, "hello", "v4").metadata.name


def test_what_serves_is_not_pruned_while_newer_ones_fail_to_build(site: Site) -> None:
    site.account()
    name = serve(site, "v0")
    site.client.merge_patch(WorkerDeployment, site.key(name), {"spec": {"releaseHistoryLimit": 0}})
    site.kubelet.build = refuses(hello="Uncaught SyntaxError")

    for version in ("v1", "v2"):
        site.deploy("hello", version)
        site.until(lambda: site.condition(WorkerDeployment, name, "Available") == ("False", "ReleaseFailed"))
        site.until(lambda: versions(site) == ["v0", version])  # noqa: B023 - asked before the next one

    assert is_serving(site, "v0")()


def test_a_template_that_comes_back_has_its_release_again(site: Site) -> None:
    for version in ("a", "b"):
        deploy_and_wait(site, version)
    name = site.deploy("hello", "a")

    site.until(lambda: site.one(WorkerDeployment, name).status.revision == 3)

    assert versions(site) == ["b", "a"]
    assert active(site, name) == release_of(site, "hello", "a").metadata.name


def test_the_release_of_a_script_and_a_build_never_change(site: Site) -> None:
    deploy_and_wait(site, "a")
    spec = JobBuilderSpec(
        script_urls=["a/1"], script_names=["a"], target_image="registry.test:5000/a:1", worker_bundle_name="a"
    )
    site.client.create(JobBuilder(metadata=site.named("alone"), spec=spec))

    with pytest.raises(Invalid, match="never changes"):
        site.client.merge_patch(WorkerRelease, site.releases("hello")[0].key, {"spec": {"mainModule": "x.js"}})
    with pytest.raises(Invalid, match="builds once what it says"):
        site.client.merge_patch(JobBuilder, site.key("alone"), {"spec": {"targetImage": "registry.test:5000/b:1"}})


def test_the_urls_of_an_account_may_change_and_are_built_anew(site: Site) -> None:
    site.account()
    spec = WorkerReleaseSpec(accounts=ACCOUNT, worker_versions={"one": "s3://scripts/one/1"})
    site.client.create(WorkerRelease(metadata=site.named("all"), spec=spec))
    site.until(lambda: site.registry.tags != {} and ports(site) == {"one": 8080})

    more = {"spec": {"workerVersions": {"two": "s3://scripts/two/1"}}}
    site.client.merge_patch(WorkerRelease, site.key("all"), more)

    site.until(lambda: ports(site) == {"one": 8080, "two": 8081})


def test_the_placeholder_of_a_date_is_admitted_and_reported_and_a_date_in_its_notation_is_taken(site: Site) -> None:
    name = site.deploy("hello", "a", compatibilityDate="MM/DD/YYYY")
    site.until(lambda: site.condition(WorkerDeployment, name, "Valid") == ("False", "InvalidCompatibilityDate"))
    assert site.releases("hello") == []

    site.deploy("hello", "a", compatibilityDate="07/03/2023")

    site.until(lambda: [each.spec.compatibility_date for each in site.releases("hello")] == ["2023-07-03"])
