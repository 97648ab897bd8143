"""What an account composes of its scripts, where real Jobs build it."""

from apis.batch.v1 import Job
from apis.cfworker.jobbuilder import BuildPhase, JobBuilder
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerdeployment import WorkerDeployment
from tests.component.workers.test_builds import build_of, ports
from tests.component.workers.world import ACCOUNT
from tests.integration.workers.conftest import Site
from tests.integration.workers.test_served import is_serving, serve

SCRIPTS = [f"s{number}" for number in range(5)]


def test_a_script_keeps_its_port_and_a_free_one_is_used_again(site: Site) -> None:
    site.account()
    for script in ("b", "c"):
        serve(site, "v1", script)
    assert ports(site) == {"b": 8080, "c": 8081}

    serve(site, "v1", "a")
    assert ports(site) == {"a": 8082, "b": 8080, "c": 8081}
    site.client.delete(WorkerDeployment, site.key("acme.b"))
    site.until(lambda: ports(site) == {"a": 8082, "c": 8081})
    serve(site, "v1", "d")

    assert ports(site) == {"a": 8082, "c": 8081, "d": 8080}


def test_a_burst_of_uploads_is_one_build_and_one_that_comes_later_overtakes_it(site: Site) -> None:
    ordinary, site.kubelet.build = site.kubelet.build, lambda _: None
    for script in SCRIPTS:
        site.deploy(script, "v1")
    site.until(lambda: all(site.releases(script) for script in SCRIPTS))
    site.account()
    site.until(lambda: set(site.one(WorkerAccount, ACCOUNT).status.ports) == set(SCRIPTS))
    first = build_of(site).metadata.name
    job = site.wait_for_job()
    assert [each.metadata.name for each in site.client.list(JobBuilder, site.namespace)] == [first]

    site.deploy("s0", "v2")
    site.until(lambda: site.one(JobBuilder, first).status.phase is BuildPhase.SUPERSEDED)
    site.until(lambda: site.get(Job, job.metadata.name) is None)
    site.kubelet.build = ordinary
    site.until(is_serving(site, "v2", "s0"))

    bundle = site.one(WorkerBundle, ACCOUNT)
    assert build_of(site).spec.target_image in bundle.spec.pod_template.image
    assert [each.job_builder for each in bundle.status.image_history] == [build_of(site).metadata.name]
