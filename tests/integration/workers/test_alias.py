"""The other group of workers, where the server's own schemas, server-side apply and garbage collection are at work."""

from collections.abc import Iterator

import pytest

from apis.cfworker import alias
from apis.cfworker.jobbuilder import JobBuilder, JobBuilderSpec
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerrelease import ReleasePhase, WorkerRelease
from apis.meta import KubeObject
from framework.testing.control_plane import ControlPlane
from tests.component.workers.aliased import KINDS, WITH_ALIASES, is_mirrored, make, make_bundle
from tests.conftest import CRDS, Kubectl, install_definitions
from tests.integration.workers.conftest import Site, site_of
from tests.integration.workers.test_schema import CONTRADICTIONS, UPSTREAM, manifest

KIND = pytest.mark.parametrize(("canonical", "kind"), KINDS, ids=lambda kind: kind.__module__.rpartition(".")[2])


@pytest.fixture(scope="session")
def definitions(kubectl: Kubectl) -> None:
    install_definitions(kubectl, CRDS.with_name("crds-cf-worker-group"))


@pytest.fixture
def site(control_plane: ControlPlane, definitions: None) -> Iterator[Site]:
    with site_of(control_plane, WITH_ALIASES) as made:
        yield made


def in_code_group(text: str, kind: str) -> str:
    return text.replace(str(UPSTREAM[kind]["apiVersion"]), "api.cf-worker/v1")


@pytest.mark.parametrize("kind", [kind.__name__ for kind, _ in KINDS])
def test_manifests_of_upstreams_code_apply_unchanged(kind: str, definitions: None, kubectl: Kubectl) -> None:
    text = in_code_group(manifest(kind), kind)

    done = kubectl("apply", "--dry-run=server", "--validate=strict", "-f", "-", input=text, check=False)

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("which", [which for which, (kind, _) in CONTRADICTIONS.items() if kind != "JobBuilder"])
def test_what_contradicts_itself_is_refused_here_too(which: str, definitions: None, kubectl: Kubectl) -> None:
    kind, spec = CONTRADICTIONS[which]

    done = kubectl("apply", "--dry-run=server", "-f", "-", input=in_code_group(manifest(kind, **spec), kind))

    assert done.returncode != 0
    assert "invalid" in done.stderr.lower() or "duplicate" in done.stderr.lower()


@KIND
def test_a_canonical_object_has_the_spec_of_its_alias_and_goes_with_it(
    canonical: type[KubeObject], kind: type[KubeObject], site: Site
) -> None:
    make(site, kind, labels={"a": "b"})
    site.until(lambda: is_mirrored(site, kind))
    made = site.content(canonical, "it")

    assert (made["spec"], made["metadata"]["labels"]) == (site.content(kind, "it")["spec"], {"a": "b"})
    site.client.delete(kind, site.key("it"), propagation="Background")
    site.until(lambda: site.get(canonical, "it") is None)


@KIND
def test_what_another_made_is_not_touched(canonical: type[KubeObject], kind: type[KubeObject], site: Site) -> None:
    make(site, canonical)
    spec = site.content(canonical, "it")["spec"]

    make(site, kind, labels={"a": "b"})

    site.until(lambda: site.condition(kind, "it", "Mirrored") == ("False", "NameTaken"))
    found = site.content(canonical, "it")
    assert found["spec"] == spec
    assert not {"labels", "ownerReferences"} & found["metadata"].keys()


def test_an_account_and_a_release_of_the_other_group_are_served_and_then_nothing_is_written(site: Site) -> None:
    make(site, alias.WorkerAccount, "acme")
    make(site, alias.WorkerRelease, labels={"accounts": "acme"})
    site.until(lambda: site.condition(alias.WorkerAccount, "acme", "Ready") == ("True", "Serving"))
    site.until(lambda: site.one(alias.WorkerRelease, "it").status.phase is ReleasePhase.ACTIVE)
    source, copy = site.one(WorkerAccount, "acme").status, site.one(alias.WorkerAccount, "acme").status
    site.wait_until_looked_at()
    before = site.versions()

    site.restart()
    site.wait_until_looked_at(WorkerAccount, WorkerRelease)
    site.wait_until_looked_at(WorkerAccount, WorkerRelease, suffix="-alias")

    assert (copy.image, copy.ports, copy.sequence) == (source.image, source.ports, source.sequence)
    assert site.versions() == before


def test_what_a_build_gives_to_a_bundle_stays_and_an_image_by_hand_replaces_it(site: Site) -> None:
    make_bundle(site)
    spec = JobBuilderSpec(
        script_urls=["u"], script_names=["built"], target_image="registry.test:5000/x:1", worker_bundle_name="it"
    )
    site.client.create(JobBuilder(metadata=site.named("b1"), spec=spec))
    site.until(lambda: site.condition(JobBuilder, "b1", "BundleUpdated") == ("True", "BundleUpdated"))

    site.client.merge_patch(alias.WorkerBundle, site.key("it"), {"spec": {"imageHistoryLimit": 5}})
    site.until(lambda: site.one(WorkerBundle, "it").spec.image_history_limit == 5)
    built = site.one(WorkerBundle, "it").spec
    by_hand = "registry.test:5000/hand:2"
    site.client.merge_patch(alias.WorkerBundle, site.key("it"), {"spec": {"podTemplate": {"image": by_hand}}})

    site.until(lambda: site.one(WorkerBundle, "it").spec.pod_template.image == by_hand)
    assert "@sha256:" in built.pod_template.image
    assert [each.worker_name for each in built.workers] == ["built"]
    assert [each.worker_name for each in site.one(WorkerBundle, "it").spec.workers] == ["one"]
