"""The Job of a build: what each container may see."""

from typing import Any

import pytest

from apis.cfworker.builder import Builder, BuilderType
from apis.cfworker.jobbuilder import JobBuilder, JobBuilderSpec
from apis.meta import ObjectMeta
from controllers.jobbuilder.job import job_manifest
from controllers.workers.settings import WorkersSettings
from framework.errors import TerminalError
from framework.version import program_version

SETTINGS = WorkersSettings(s3_bucket="scripts", s3_endpoint="http://s3", insecure_registries=("registry:5000",))


def job(**builder: Any) -> dict[str, Any]:
    spec = JobBuilderSpec(
        script_urls=["a/1"],
        script_names=["a"],
        target_image="registry:5000/x:1",
        worker_bundle_name="b",
        builder=Builder(**builder),
    )
    made = JobBuilder(metadata=ObjectMeta(name="acme-1", namespace="tenant", uid="u"), spec=spec)
    return job_manifest(made, SETTINGS, "/0")


def mounts(container: dict[str, Any]) -> set[str]:
    return {each["name"] for each in container["volumeMounts"]}


def test_only_who_fetches_has_credentials_of_the_bucket_and_only_who_pushes_those_of_the_registry() -> None:
    pod = job()["spec"]["template"]["spec"]
    fetch, check = pod["initContainers"]
    (build,) = pod["containers"]

    assert mounts(fetch) == {"s3-config", "context", "plan", "tmp"}
    assert mounts(check) == {"context", "tmp"}
    assert mounts(build) == {"registry-credentials", "context", "tmp"}
    assert "env" not in check
    assert pod["automountServiceAccountToken"] is False


def test_bad_input_ends_the_job_at_once() -> None:
    rules = job()["spec"]["podFailurePolicy"]["rules"]

    assert rules[0] == {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}


def test_the_job_is_in_the_namespace_of_its_builder_and_belongs_to_it() -> None:
    metadata = job()["metadata"]

    assert (metadata["namespace"], metadata["name"]) == ("tenant", "acme-1-job")
    assert [each["uid"] for each in metadata["ownerReferences"]] == ["u"]


def test_every_container_of_ours_is_locked_up() -> None:
    pod = job()["spec"]["template"]["spec"]

    assert pod["securityContext"]["runAsNonRoot"] is True
    for container in (*pod["initContainers"], *pod["containers"]):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }


def test_kaniko_needs_an_image_that_somebody_names() -> None:
    with pytest.raises(TerminalError, match=r"kaniko needs builder\.image"):
        job(type=BuilderType.KANIKO)

    (container,) = job(type=BuilderType.KANIKO, image="kaniko:1")["spec"]["template"]["spec"]["containers"]
    assert "--destination=registry:5000/x:1" in container["args"]


def test_only_kaniko_itself_runs_as_root() -> None:
    pod = job(type=BuilderType.KANIKO, image="kaniko:1")["spec"]["template"]["spec"]

    assert "runAsNonRoot" not in pod["securityContext"]
    assert "securityContext" not in pod["containers"][0]
    for container in pod["initContainers"]:
        assert container["securityContext"]["runAsNonRoot"] is True
        assert container["securityContext"]["runAsUser"] == 65532
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_buildkit_pushes_by_itself() -> None:
    (container,) = job(type=BuilderType.BUILDKIT)["spec"]["template"]["spec"]["containers"]

    assert "--output=type=image,name=registry:5000/x:1,push=true" in container["args"]


def test_what_builds_is_of_one_version_and_not_whatever_is_the_latest() -> None:
    pod = job()["spec"]["template"]["spec"]
    images = {each["image"] for each in (*pod["initContainers"], *pod["containers"])}

    assert images == {f"windlass:{program_version()}"}
