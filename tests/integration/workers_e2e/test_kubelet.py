"""The kubelet of these tests does with a build Job what a real one would."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controllers.workers.plan import BuildPlan, Egress, PlanRow
from framework.testing.control_plane.waiting import wait_until
from tests.cluster import Cluster
from tests.conftest import Kubectl
from tests.integration.workers_build.parts import workerd_binary
from tests.integration.workers_build.registry import Registry
from tests.integration.workers_build.storage import BUCKET, KEY_ID, REGION, SECRET_KEY, Storage
from tests.integration.workers_e2e.kubelet import WORKERD, Kubelet

_GOOD = "export default { fetch() { return new Response('good'); } };"
_LIMIT_SECONDS = 90


@pytest.fixture
def storage() -> Iterator[Storage]:
    started = Storage()
    yield started
    started.close()


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    started = Registry(tmp_path / "registry")
    yield started
    started.close()


@pytest.fixture
def kubelet(control_plane: Cluster, namespace: str, tmp_path: Path) -> Iterator[Kubelet]:
    with Kubelet(control_plane, namespace, tmp_path / "pods", workerd_binary()) as started:
        yield started


def build_job(name: str, storage: Storage, target: str) -> dict[str, Any]:
    def container(name: str, args: list[str], volumes: dict[str, str], **more: Any) -> dict[str, Any]:
        mounts = [{"name": volume, "mountPath": path} for volume, path in volumes.items()]
        return {"name": name, "image": "windlass", "args": args, "volumeMounts": mounts, **more}

    variables = {
        "AWS_PROFILE": "default",
        "AWS_ENDPOINT": storage.url,
        "AWS_BUCKET": BUCKET,
        "AWS_REGION": REGION,
        "AWS_SHARED_CREDENTIALS_FILE": "/aws/credentials",
        "AWS_CONFIG_FILE": "/aws/config",
    }
    context = {"context": "/context", "tmp": "/tmp"}  # noqa: S108 - paths in the pod
    fetch = ["-mode=worker-fetch", "-plan=/plan/plan.json", "-destination=/context"]
    check = ["-mode=worker-check", "-context=/context", f"-workerd={WORKERD}"]
    build = ["-mode=worker-build", "-context=/context", f"-target={target}", "-docker-config=/registry/config.json"]
    pod = {
        "restartPolicy": "Never",
        "initContainers": [
            container(
                "download-files",
                fetch,
                {**context, "plan": "/plan", "s3-config": "/aws"},
                env=[{"name": name, "value": value} for name, value in variables.items()],
            ),
            container("check-scripts", check, context),
        ],
        "containers": [container("build", build, {**context, "registry-credentials": "/registry"})],
        "volumes": [
            {"name": "context", "emptyDir": {}},
            {"name": "tmp", "emptyDir": {}},
            {"name": "plan", "configMap": {"name": f"{name}-plan"}},
            {"name": "s3-config", "projected": {"sources": [{"secret": {"name": "s3-credentials"}}]}},
            {
                "name": "registry-credentials",
                "projected": {
                    "sources": [
                        {
                            "secret": {
                                "name": "docker-hub",
                                "items": [{"key": ".dockerconfigjson", "path": "config.json"}],
                            }
                        }
                    ]
                },
            },
        ],
    }
    rules = [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"backoffLimit": 2, "podFailurePolicy": {"rules": rules}, "template": {"spec": pod}},
    }


def applied(kubectl: Kubectl, namespace: str, *manifests: dict[str, Any]) -> None:
    document = {"apiVersion": "v1", "kind": "List", "items": list(manifests)}
    kubectl("apply", "-n", namespace, "-f", "-", input=msgspec.json.encode(document).decode(), check=True)


def plan_of(name: str, source: str) -> dict[str, Any]:
    row = PlanRow(name="hello", port=8080, compatibility_date="2024-01-01", sources=[source])
    plan = BuildPlan(version=1, target_image="x", egress=Egress.PUBLIC, workers=[row])
    data = {"plan.json": plan.encoded().decode()}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{name}-plan"}, "data": data}


def secret(name: str, key: str, value: str) -> dict[str, Any]:
    data = {key: base64.b64encode(value.encode()).decode()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": data}


def conditions(kubectl: Kubectl, namespace: str, name: str) -> dict[str, str]:
    found = msgspec.json.decode(kubectl("get", "-n", namespace, "job", name, "-o", "json", check=True).stdout)
    true = [each for each in found.get("status", {}).get("conditions", ()) if each["status"] == "True"]
    return {each["type"]: each.get("reason", "") for each in true}


def test_a_build_job_runs_to_its_end_and_bad_input_ends_it_at_once(
    kubelet: Kubelet, kubectl: Kubectl, namespace: str, storage: Storage, registry: Registry
) -> None:
    storage.put("good/index.js", _GOOD)
    storage.put("bad/index.js", "export default {")
    credentials = f"[default]\naws_access_key_id = {KEY_ID}\naws_secret_access_key = {SECRET_KEY}\n"
    applied(
        kubectl,
        namespace,
        secret("s3-credentials", "credentials", credentials),
        secret("docker-hub", ".dockerconfigjson", '{"auths": {}}'),
        plan_of("good", "good"),
        plan_of("bad", "bad"),
        build_job("good", storage, f"{registry.host}/acme/good:c-1"),
        build_job("bad", storage, f"{registry.host}/acme/bad:c-1"),
    )

    assert wait_until(
        lambda: {"Complete"} <= set(conditions(kubectl, namespace, "good")), limit_seconds=_LIMIT_SECONDS
    ), kubelet.output
    assert wait_until(
        lambda: conditions(kubectl, namespace, "bad").get("Failed") == "PodFailurePolicy", limit_seconds=_LIMIT_SECONDS
    ), kubelet.output

    assert registry.manifest("acme/good", "c-1").status_code == 200
    assert registry.manifest("acme/bad", "c-1").status_code == 404
    assert SECRET_KEY not in kubelet.output
    assert "Uncaught SyntaxError" in kubelet.output
