"""The webhook of the chart: it answers, and its configuration goes before it does."""

import base64
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest

from framework.certificates.authority import Authority
from framework.certificates.key_pair import KeyPair, KeyPairFiles
from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.ports import free_port
from tests.component.program import Program
from tests.conftest import Kubectl
from tests.integration.chart.conftest import Life
from tests.integration.chart.pods import run_script
from tests.integration.chart.release import RESTRICTED, Release, by_kind, everything
from tests.integration.requeststate.processes import Process, eventually

pytestmark = pytest.mark.xdist_group("chart")
NAMESPACE = "chart-webhook"
CONFIGURATION = f"{NAMESPACE}-windlass-webhook"


class Installed(msgspec.Struct, frozen=True):
    """The webhook alone, with a certificate for this machine."""

    release: Release
    before: frozenset[str]
    pair: KeyPair

    def job(self, suffix: str) -> Mapping[str, Any]:
        (found,) = [job for job in by_kind(self.release.hooks(), "Job") if job["metadata"]["name"].endswith(suffix)]
        return found


@pytest.fixture(scope="module")
def installed(helm: Program, kubectl: Kubectl, life: Life) -> Iterator[Installed]:
    kubectl("create", "namespace", NAMESPACE, check=True)
    kubectl("label", "namespace", NAMESPACE, RESTRICTED, check=True)
    for kind, name in (("serviceaccount", "default"), ("configmap", "kube-root-ca.crt")):
        eventually(lambda: kubectl("get", kind, name, "-n", NAMESPACE).returncode == 0, name)  # noqa: B023 - at once
    before = everything(kubectl)
    authority = Authority.create(clock=SystemClock())
    release = Release(helm, kubectl, "windlass", NAMESPACE)
    release.install(
        "--set=crds.enabled=false,director.enabled=false,worker.enabled=false,webhook.enabled=true",
        "--set=webhook.certificate.source=secret,webhook.certificate.secretName=webhook-tls",
        f"--set-string=webhook.certificate.caBundle={base64.b64encode(authority.certificate).decode()}",
        f"--set=webhook.ports.webhook={free_port()},webhook.ports.health={free_port()}",
    )
    yield Installed(release, before, authority.issue_server(["127.0.0.1"]))
    kubectl("delete", "namespace", NAMESPACE, "--wait=false")


def test_webhook_answers_the_job_of_helm_test(installed: Installed, tmp_path: Path) -> None:
    deployment = installed.release.deployment("webhook")
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    KeyPairFiles(tmp_path / "tls.crt", tmp_path / "tls.key").write(installed.pair)
    declared = {variable["name"]: variable["value"] for variable in container["env"]}
    variables = {**os.environ, **declared, "WEBHOOK_CERT_DIR": str(tmp_path)}
    job, url = installed.job("-test-webhook"), f"https://127.0.0.1:{ports['webhook']}/mutate-v1-pod"

    process = Process(tuple(container["args"]), variables, tmp_path, "webhook")
    try:
        eventually(lambda: run_script(job, URL=url).returncode == 0, "the Job of helm test is content")
        refused = run_script(job, URL=url, RUNTIME_CLASS="another")
    finally:
        process.end()

    assert (refused.returncode, refused.stdout) == (1, f"{url}: allowed True, without a patch\n")
    assert run_script(job, URL=url).returncode == 1


def test_configuration_is_removed_before_the_webhook(
    installed: Installed, control_plane: ControlPlane, kubectl: Kubectl, tmp_path: Path
) -> None:
    account = f"{installed.release.name}-webhook-cleanup"
    rights = by_kind(installed.release.hooks(), "ServiceAccount", "ClusterRole", "ClusterRoleBinding")
    of_cleanup = [each for each in rights if each["metadata"]["annotations"]["helm.sh/hook"] == "pre-delete"]
    listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": of_cleanup})
    kubectl("apply", "-f", "-", input=listed, check=True)
    (tmp_path / "token").write_text(installed.release.token(account))
    (tmp_path / "ca.crt").write_bytes(control_plane.ca_file.read_bytes())
    server = urlsplit(control_plane.url)
    places = {
        "ACCOUNT_FOLDER": str(tmp_path),
        "KUBERNETES_SERVICE_HOST": server.hostname or "",
        "KUBERNETES_SERVICE_PORT": str(server.port),
    }
    job = installed.job("-webhook-cleanup")

    assert kubectl("get", "mutatingwebhookconfiguration", CONFIGURATION).returncode == 0
    assert run_script(job, **places, CONFIGURATION="of-somebody-else").stdout.endswith(": 403\n")
    assert run_script(job, **places).returncode == 0
    assert kubectl("get", "mutatingwebhookconfiguration", CONFIGURATION).returncode == 1
    # As after a Job that did its work and was run again.
    assert run_script(job, **places).stdout.endswith(": 404\n")

    installed.release.uninstall()

    eventually(lambda: everything(kubectl) <= installed.before, "nothing remains")
