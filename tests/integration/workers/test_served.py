"""The way of a script to pods and back, where real controllers run Jobs, Deployments and garbage collection."""

from collections.abc import Callable

from apis.apps.v1 import Deployment
from apis.autoscaling.v2 import HorizontalPodAutoscaler
from apis.batch.v1 import Job
from apis.cfworker.jobbuilder import BuildPhase, JobBuilder, JobBuilderSpec
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import BundlePod, WorkerBundle, WorkerBundleSpec
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import ReleasePhase, WorkerRelease
from apis.core.v1 import Secret, Service
from apis.meta import KubeObject
from apis.networking.v1 import Ingress
from tests.component.workers.world import ACCOUNT, digest_of
from tests.integration.workers.conftest import Site
from tests.integration.workers.kubelet import refuses

REPOSITORY = "registry.test:5000/workers/build-acme"


def is_serving(site: Site, version: str, script: str = "hello") -> Callable[[], bool]:
    """Whether the account says that *version* answers, with an image that it has just built."""

    def look() -> bool:
        found = [each for each in site.releases(script) if each.spec.script_urls[0].endswith(f"/{version}")]
        account = site.get(WorkerAccount, ACCOUNT)
        rows = account.status.workers if account else []
        served = {each.serving_release for each in rows if each.script_name == script}
        return bool(found) and served == {found[0].metadata.name}

    return look


def serve(site: Site, version: str, script: str = "hello") -> str:
    name = site.deploy(script, version)
    site.until(is_serving(site, version, script))
    return name


def image(site: Site) -> str:
    return str(site.content(Deployment, "acme-depl")["spec"]["template"]["spec"]["containers"][0]["image"])


def test_a_new_version_reaches_the_pods_and_the_old_image_goes(site: Site) -> None:
    site.account()
    name = serve(site, "v1")
    first = image(site)
    site.until(lambda: site.condition(WorkerDeployment, name, "Available") == ("True", "Serving"))

    serve(site, "v2")

    assert image(site) != first
    site.until(lambda: site.registry.deleted == [(REPOSITORY, first.partition("@")[2])])
    site.until(lambda: "lastImage" not in site.one(WorkerBundle, ACCOUNT).metadata.annotations)
    old, new = site.releases("hello")
    site.until(lambda: site.one(WorkerRelease, old.metadata.name).status.phase is ReleasePhase.SUPERSEDED)
    assert site.one(WorkerRelease, new.metadata.name).status.phase is ReleasePhase.ACTIVE


def test_a_rollback_serves_the_old_release_and_its_end_the_new_one(site: Site) -> None:
    site.account()
    for version in ("a", "b", "c"):
        name = serve(site, version)
    first = site.releases("hello")[0].metadata.name

    site.client.merge_patch(WorkerDeployment, site.key(name), {"spec": {"activeRelease": first}})
    site.until(is_serving(site, "a"))
    site.client.merge_patch(WorkerDeployment, site.key(name), {"spec": {"activeRelease": None}})
    site.until(is_serving(site, "c"))

    assert len(site.releases("hello")) == 3


def test_a_pod_that_fails_once_is_no_failed_build(site: Site) -> None:
    site.kubelet.next_builds.append(lambda _: (1, "the registry answered 500"))
    site.account()

    serve(site, "v1")

    (job,) = site.client.list(Job, site.namespace)
    (build,) = site.client.list(JobBuilder, site.namespace)
    assert (job.status.failed, job.status.succeeded) == (1, 1)
    assert (build.status.phase, build.status.attempts) == (BuildPhase.SUCCEEDED, 0)


def test_a_script_that_is_refused_fails_its_release_and_no_other(site: Site) -> None:
    site.account()
    serve(site, "v1", "x")
    serve(site, "v1", "y")
    site.kubelet.next_builds.append(refuses(x="Uncaught SyntaxError"))
    name = site.deploy("x", "broken")

    site.until(lambda: site.condition(WorkerDeployment, name, "Available") == ("False", "ReleaseFailed"))
    serve(site, "v2", "y")

    assert is_serving(site, "v1", "x")()
    failed = [each for each in site.client.list(JobBuilder, site.namespace) if each.status.failed_scripts]
    assert [each.status.attempts for each in failed] in ([0], [])


def test_a_newer_upload_deletes_the_job_of_the_older(site: Site) -> None:
    ordinary, site.kubelet.build = site.kubelet.build, lambda _: None
    site.account()
    site.deploy("hello", "v1")
    job = site.wait_for_job()

    site.deploy("hello", "v2")
    site.until(lambda: site.get(Job, job.metadata.name) is None)
    site.kubelet.build = ordinary
    site.until(is_serving(site, "v2"))

    phases = [each.status.phase for each in site.client.list(JobBuilder, site.namespace)]
    assert sorted(phase for phase in phases if phase) == [BuildPhase.SUCCEEDED, BuildPhase.SUPERSEDED]
    assert site.one(WorkerBundle, ACCOUNT).status.image_history[0].image == image(site)
    assert len(site.one(WorkerBundle, ACCOUNT).status.image_history) == 1


def test_nothing_is_written_when_the_process_comes_back(site: Site) -> None:
    site.account()
    serve(site, "v1")
    for job in site.client.list(Job, site.namespace):
        # As the time to live of a finished Job does.
        site.client.delete(Job, job.key, propagation="Background")
    site.until(lambda: site.client.list(Job, site.namespace) == [])
    site.wait_until_looked_at()
    before = site.versions()

    site.restart()
    site.wait_until_looked_at()

    assert site.versions() == before
    assert site.client.list(Job, site.namespace) == []


def test_what_somebody_changes_or_deletes_is_restored(site: Site) -> None:
    site.account(podTemplate={"autoscaling": {"maxReplicas": 3}})
    serve(site, "v1")
    children: tuple[tuple[type[KubeObject], str], ...] = (
        (Deployment, "acme-depl"),
        (Service, "acme-svc"),
        (Ingress, "acme-ingress"),
        (HorizontalPodAutoscaler, "acme-hpa"),
    )
    ports = site.content(Service, "acme-svc")["spec"]["ports"]
    wrong = [{"op": "replace", "path": "/spec/ports/0/targetPort", "value": 1}]
    site.client.json_patch(Service, site.key("acme-svc"), wrong)
    site.client.merge_patch(Service, site.key("acme-svc"), {"metadata": {"annotations": {"team": "blue"}}})
    site.client.merge_patch(HorizontalPodAutoscaler, site.key("acme-hpa"), {"spec": {"maxReplicas": 9}})
    site.until(lambda: site.content(Service, "acme-svc")["spec"]["ports"] == ports)
    site.until(lambda: site.content(HorizontalPodAutoscaler, "acme-hpa")["spec"]["maxReplicas"] == 3)
    assert site.content(Service, "acme-svc")["metadata"]["annotations"]["team"] == "blue"

    before = {name: site.one(kind, name).metadata.uid for kind, name in children}
    for kind, name in children:
        site.client.delete(kind, site.key(name))

    def are_back() -> bool:
        found = [site.get(kind, name) for kind, name in children]
        return all(each is not None and each.metadata.uid != before[each.metadata.name] for each in found)

    site.until(are_back)


def test_what_belongs_to_a_script_and_to_an_account_goes_with_them(site: Site) -> None:
    site.account()
    name = serve(site, "v1")
    serve(site, "v1", "other")
    site.client.delete(WorkerDeployment, site.key(name))

    site.until(lambda: site.releases("hello") == [])
    site.until(lambda: [each.worker_name for each in site.one(WorkerBundle, ACCOUNT).spec.workers] == ["other"])
    site.until(lambda: site.condition(WorkerAccount, ACCOUNT, "Ready") == ("True", "Serving"))
    site.client.delete(WorkerAccount, site.key(ACCOUNT), propagation="Background")

    for kind in (WorkerBundle, JobBuilder, Job, Deployment, Service, Ingress):
        site.until(lambda: site.client.list(kind, site.namespace) == [])  # noqa: B023 - asked before the next one
    assert site.registry.tags == {}


def test_when_the_last_script_goes_only_an_empty_bundle_is_left(site: Site) -> None:
    site.account()
    name = serve(site, "v1")

    site.client.delete(WorkerDeployment, site.key(name))

    site.until(lambda: site.registry.tags == {})
    bundle = site.one(WorkerBundle, ACCOUNT)
    assert (bundle.spec.workers, bundle.spec.pod_template.image) == ([], "")
    site.until(lambda: site.get(Deployment, "acme-depl") is None and site.get(Service, "acme-svc") is None)
    site.until(lambda: site.one(WorkerBundle, ACCOUNT).metadata.finalizers == [])


def test_an_account_that_comes_late_is_served(site: Site) -> None:
    site.deploy("hello", "v1")
    site.until(lambda: bool(site.events("NoMatchingAccount")))
    count = site.manager.registry.get_sample_value(
        "controller_runtime_reconcile_total", {"controller": "workerrelease", "result": "success"}
    )
    assert (count or 0) <= 3

    site.account()

    site.until(is_serving(site, "v1"))


def test_a_build_that_stands_alone_waits_for_its_bundle(site: Site) -> None:
    site.client.create(Secret(metadata=site.named("pull"), data={"k": b"v"}))
    spec = JobBuilderSpec(
        script_urls=["one/1", "two/1"],
        script_names=["one", "two"],
        target_image="registry.test:5000/alone:1",
        worker_bundle_name="alone",
    )
    site.client.create(JobBuilder(metadata=site.named("alone"), spec=spec))
    site.until(lambda: site.condition(JobBuilder, "alone", "BundleUpdated") == ("False", "BundleNotFound"))

    bundle = WorkerBundleSpec(deployment_name="alone", pod_template=BundlePod(image_pull_secret="pull"))
    site.client.create(WorkerBundle(metadata=site.named("alone"), spec=bundle))

    site.until(lambda: site.condition(WorkerBundle, "alone", "Available") == ("True", "RolledOut"))
    found = site.one(WorkerBundle, "alone").spec
    assert [(each.worker_name, each.worker_number) for each in found.workers] == [("one", 8080), ("two", 8081)]
    assert found.pod_template.image == f"registry.test:5000/alone:1@{digest_of('registry.test:5000/alone:1')}"
    assert found.pod_template.image_pull_secret == "pull"
