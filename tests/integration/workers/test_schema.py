"""What is given to users is accepted as it is, and what contradicts itself is not."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Kubectl

ROOT = Path(__file__).parents[3]
SAMPLES = sorted((ROOT / "config" / "samples" / "workers").glob("*.yaml"))
# As upstream's documentation and samples spell them.
UPSTREAM: dict[str, dict[str, Any]] = {
    "WorkerDeployment": {
        "apiVersion": "api.worker-deployment/v1alpha1",
        "spec": {
            "template": {
                "scriptName": "wasm-worker",
                "secretRef": "secret-ref",
                "compatibilityDate": "MM/DD/YYYY",
                "scriptUrls": ["s3://bucket/path"],
                "releaseHistoryLimit": 3,
            }
        },
    },
    "WorkerRelease": {
        "apiVersion": "api.worker-release/v1alpha1",
        "spec": {
            "scriptName": "wasm-worker",
            "secretRef": "secret-ref",
            "compatibilityDate": "MM/DD/YYYY",
            "scriptUrls": ["s3://bucket/path"],
        },
    },
    "WorkerAccount": {
        "apiVersion": "api.worker-account/v1alpha1",
        "spec": {
            "workerBundleName": "workerBundleName",
            "workerReleaseSelector": {"matchLabels": {"accounts": "a"}},
            "podTemplate": {"imagePullSecret": "insert-secret-here"},
        },
    },
    "WorkerBundle": {
        "apiVersion": "api.worker-bundle/v1alpha1",
        "spec": {
            "deploymentName": "deployment-test",
            "podTemplate": {"image": "nginx", "imagePullSecret": "insert-secret-here"},
            "workers": [
                {"workerName": "wasm-worker", "workerNumber": 8080, "envPrefix": "WASM_WORKER_", "secretRef": "s"},
                {"workerName": "artist-worker", "workerNumber": 8081, "envPrefix": "ARTIST_WORKER_", "secretRef": "s"},
            ],
        },
    },
    "WorkerVersion": {
        "apiVersion": "api.cf-worker/v1",
        "spec": {"accounts": "a", "scripts": "wasm-worker", "url": "a/wasm-worker/1"},
    },
    "JobBuilder": {
        "apiVersion": "api.cf-worker/v1",
        "spec": {
            "scriptUrls": ["a/1"],
            "scriptNames": ["a"],
            "targetImage": "user/image",
            "workerBundleName": "b",
        },
    },
}
CONTRADICTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "both forms of a release": ("WorkerRelease", {"workerVersions": {"a": "u"}, "accounts": "a"}),
    "an account form without an account": (
        "WorkerRelease",
        {"workerVersions": {"a": "u"}, "scriptName": None, "scriptUrls": None},
    ),
    "a release without URLs": ("WorkerRelease", {"scriptUrls": None}),
    "two spellings that differ": (
        "WorkerDeployment",
        {"template": {"scriptName": "a", "scriptUrls": ["u"], "scriptsUrls": ["v"]}},
    ),
    "a template without URLs": ("WorkerDeployment", {"template": {"scriptName": "a"}}),
    "names without URLs": ("JobBuilder", {"scriptNames": ["a", "b"]}),
    "one port for two": (
        "WorkerBundle",
        {"workers": [{"workerName": "a", "workerNumber": 1}, {"workerName": "b", "workerNumber": 1}]},
    ),
    "one name for two": (
        "WorkerBundle",
        {"workers": [{"workerName": "a", "workerNumber": 1}, {"workerName": "a", "workerNumber": 2}]},
    ),
}


def manifest(kind: str, **spec: Any) -> str:
    content = {**UPSTREAM[kind]["spec"], **spec}
    given = {name: value for name, value in content.items() if value is not None}
    metadata = {"name": "sample", "namespace": "default"}
    return yaml.safe_dump({**UPSTREAM[kind], "kind": kind, "metadata": metadata, "spec": given})


def test_there_is_a_sample_of_every_kind() -> None:
    found = {document["kind"] for path in SAMPLES for document in yaml.safe_load_all(path.read_text())}

    assert set(UPSTREAM) <= found


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_sample_is_accepted_field_by_field(path: Path, kubectl: Kubectl) -> None:
    kubectl("apply", "--dry-run=server", "--validate=strict", "-n", "default", "-f", str(path), check=True)


@pytest.mark.parametrize("kind", UPSTREAM)
def test_upstreams_manifests_apply_unchanged(kind: str, kubectl: Kubectl) -> None:
    done = kubectl("apply", "--dry-run=server", "--validate=strict", "-f", "-", input=manifest(kind), check=False)

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("which", CONTRADICTIONS)
def test_what_contradicts_itself_is_refused(which: str, kubectl: Kubectl) -> None:
    kind, spec = CONTRADICTIONS[which]

    done = kubectl("apply", "--dry-run=server", "-f", "-", input=manifest(kind, **spec), check=False)

    assert done.returncode != 0
    assert "invalid" in done.stderr.lower() or "duplicate" in done.stderr.lower()
