"""What is wrong at the start is one clear line, with the documented exit code."""

import http.client
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from framework.apiserver.certificates import CertificateFolder
from framework.clock import SystemClock
from framework.testing.control_plane.ports import free_port
from tests.cluster import Cluster
from tests.conftest import CRDS, kubectl_of
from tests.integration.requeststate.objects import TWO_JOBS, Objects, transitions
from tests.integration.requeststate.processes import Process, Windlass, eventually

Kubectl = Callable[..., subprocess.CompletedProcess[str]]
USAGE, RUN_TIME = 2, 1

BAD_FLAGS = {
    "-mode=bogus": "unknown mode 'bogus'; known: director, worker",
    "-bogus": "unrecognized arguments: -bogus",
    "bogus": "unrecognized arguments: bogus",
    "-requests=many": "-requests: 'many' is not a whole number of 0 or more",
    "-jobs=JOB1,,JOB2": "-jobs: 'JOB1,,JOB2' has the job ''",
    "-job-duration=1s": "-job-duration is a flag of -mode=worker and -mode=standalone, not of director",
    "-lease-duration=soon": "-lease-duration: 'soon' is not a duration",
    "-lease-duration=3s": "leader election needs lease duration > renew deadline",
    "-namespace=": "-namespace: '' is not the name of a namespace",
    "-name=Big": "-name: 'Big' is not a name",
    "-health-probe-bind-address=here": "-health-probe-bind-address: 'here' is not HOST:PORT or :PORT",
    "-kubeconfig=/nowhere": "/nowhere",
}


def said_in_one_line(process: Process) -> str:
    lines = process.stderr.splitlines()
    assert len(lines) == 1, process.stderr
    assert lines[0].startswith("windlass: ")
    return lines[0]


def ready_page(port: int) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except OSError:
        return 0, ""
    finally:
        connection.close()


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Windlass]:
    """Processes that have no cluster, and need none."""
    started = Windlass(tmp_path, tmp_path / "none", "default")
    yield started
    started.end()


@pytest.mark.parametrize("flag", BAD_FLAGS)
def test_bad_flag_is_refused_before_anything_is_contacted(flag: str, bare: Windlass) -> None:
    # Nobody listens there: to contact it would end in another line, and another exit code.
    process = bare.start_bare("-master=http://127.0.0.1:1", flag)

    assert process.wait() == USAGE
    assert BAD_FLAGS[flag] in said_in_one_line(process)


def test_no_configuration_at_all_names_all_places_that_were_looked_at(bare: Windlass) -> None:
    process = bare.start_bare()

    assert process.wait() == USAGE
    line = said_in_one_line(process)
    for place in ("-kubeconfig", "$KUBECONFIG", "service account", ".kube/config", "standalone"):
        assert place in line


def test_help_lists_modes_and_flags(bare: Windlass) -> None:
    process = bare.start_bare("-help")

    assert process.wait() == 0
    assert "-mode" in process.stdout
    assert "-claim-duration" in process.stdout


@pytest.mark.parametrize("mode", ["director", "worker"])
def test_server_that_cannot_be_reached_is_one_line(mode: str, windlass: Windlass) -> None:
    process = windlass.start(f"-mode={mode}", f"-master=https://127.0.0.1:{free_port()}")

    assert process.wait() == RUN_TIME
    assert "the API server cannot be reached" in said_in_one_line(process)


def kubeconfig_with(plane: Cluster, path: Path, *, ca_file: Path | None = None, token: str | None = None) -> Path:
    config = msgspec.json.decode(plane.kubeconfig.read_bytes())
    if ca_file is not None:
        config["clusters"][0]["cluster"]["certificate-authority"] = str(ca_file)
    if token is not None:
        config["users"][0]["user"] = {"token": token}
    path.write_bytes(msgspec.json.encode(config))
    return path


def test_wrong_certificate_authority_is_one_line(windlass: Windlass, control_plane: Cluster, tmp_path: Path) -> None:
    other = CertificateFolder(tmp_path / "pki", clock=SystemClock())
    other.server()
    kubeconfig = kubeconfig_with(control_plane, tmp_path / "wrong-ca", ca_file=other.ca_file)

    process = windlass.start(kubeconfig=kubeconfig)

    assert process.wait() == RUN_TIME
    assert "certificate is not accepted" in said_in_one_line(process)


def test_token_that_is_not_accepted_is_one_line(windlass: Windlass, control_plane: Cluster, tmp_path: Path) -> None:
    process = windlass.start(kubeconfig=kubeconfig_with(control_plane, tmp_path / "expired", token="expired-token"))

    assert process.wait() == RUN_TIME
    line = said_in_one_line(process)
    assert "does not accept the credentials: is the token expired?" in line
    assert "expired-token" not in line


def test_director_without_rights_names_verb_and_resource_of_each(
    windlass: Windlass, control_plane: Cluster, namespace: str
) -> None:
    process = windlass.start(kubeconfig=control_plane.kubeconfig_for("nobody"))

    assert process.wait() == RUN_TIME
    line = said_in_one_line(process)
    assert f"missing rights in namespace '{namespace}': " in line
    assert "watch requeststates.com.redhat.ecosystem.sample, " in line
    assert "patch requeststates.com.redhat.ecosystem.sample/status, " in line
    assert "create leases.coordination.k8s.io" in line


def test_director_that_lacks_one_right_names_that_one_alone(
    windlass: Windlass, control_plane: Cluster, namespace: str, kubectl: Kubectl
) -> None:
    allow(kubectl, namespace, "alice", "get,list,watch,create", "requeststates.com.redhat.ecosystem.sample")
    allow(kubectl, namespace, "alice", "patch", "requeststates.com.redhat.ecosystem.sample/status")
    allow(kubectl, namespace, "alice", "get,create,patch", "leases.coordination.k8s.io")

    process = windlass.start("-requests=0", kubeconfig=control_plane.kubeconfig_for("alice"))

    assert process.wait() == RUN_TIME
    assert ": patch requeststates.com.redhat.ecosystem.sample; bind" in said_in_one_line(process)


def allow(kubectl: Kubectl, namespace: str, user: str, verbs: str, resource: str) -> None:
    name = f"{user}-{resource.replace('/', '-')}"
    kubectl("create", "role", name, "-n", namespace, f"--verb={verbs}", f"--resource={resource}", check=True)
    kubectl("create", "rolebinding", name, "-n", namespace, f"--role={name}", f"--user={user}", check=True)
    # A role that was written is not in force at the same moment.
    verb, (what, _, subresource) = verbs.split(",", maxsplit=1)[0], resource.partition("/")
    question = ("auth", "can-i", verb, what, f"--subresource={subresource}", "-n", namespace, f"--as={user}")
    eventually(lambda: kubectl(*question).stdout == "yes\n", f"{user} may {verb} {resource}")


def test_worker_without_rights_stays_unready_and_becomes_ready_when_it_gets_them(
    windlass: Windlass, control_plane: Cluster, namespace: str, kubectl: Kubectl
) -> None:
    port = free_port()
    worker = windlass.start(
        "-mode=worker",
        f"-health-probe-bind-address=127.0.0.1:{port}",
        kubeconfig=control_plane.kubeconfig_for("bob"),
    )
    eventually(lambda: "missing rights" in ready_page(port)[1], "the page names the missing rights")
    status, page = ready_page(port)
    # Before a part of them is there: then it is told that the other part is missing.
    worker.wait_for_log("rights_missing")
    told = [log["event"] for log in worker.logs if log["event"] == "rights_missing"]

    allow(kubectl, namespace, "bob", "get,list,watch,patch", "requeststates.com.redhat.ecosystem.sample")
    allow(kubectl, namespace, "bob", "patch", "requeststates.com.redhat.ecosystem.sample/status")

    assert status == 500
    assert "[-]informer/requeststates.com.redhat.ecosystem.sample" in page
    assert f"[-]rights/requeststate-worker: not started: missing rights in namespace '{namespace}': " in page
    for right in ("list", "watch", "get", "patch"):
        assert f"{right} requeststates.com.redhat.ecosystem.sample, " in page
    assert "patch requeststates.com.redhat.ecosystem.sample/status; bind a Role" in page
    assert told == ["rights_missing"]
    eventually(lambda: ready_page(port)[0] == 200, "the worker is ready")
    assert worker.is_running()


def test_missing_crd_is_said_once_and_the_flow_goes_on_when_it_appears(
    tmp_path: Path, fresh_control_plane: Cluster
) -> None:
    port = free_port()
    started = Windlass(tmp_path, fresh_control_plane.kubeconfig, "default")
    try:
        worker = started.start("-mode=worker", "-job-duration=0", f"-health-probe-bind-address=127.0.0.1:{port}")
        director = started.start("-name=patient")
        for process in (worker, director):
            process.wait_for_log("crd_not_installed", crd="requeststates.com.redhat.ecosystem.sample")
        eventually(lambda: ready_page(port)[0] == 500, "the worker says that it is not ready")
        page = ready_page(port)

        kubectl_of(fresh_control_plane)("apply", "--server-side", "-f", str(CRDS), check=True)

        assert director.wait() == 0
        assert page[0] == 500
        assert "[-]informer/requeststates.com.redhat.ecosystem.sample" in page[1]
        for process in (worker, director):
            assert sum(log["event"] == "crd_not_installed" for log in process.logs) == 1
    finally:
        started.end()


def test_missing_namespace_is_one_line(bare: Windlass, control_plane: Cluster) -> None:
    process = bare.start_bare(f"-kubeconfig={control_plane.kubeconfig}", "-namespace=not-there")

    assert process.wait() == RUN_TIME
    assert "namespace 'not-there' does not exist" in said_in_one_line(process)


def test_namespace_that_is_being_deleted_is_one_line(windlass: Windlass, objects: Objects, kubectl: Kubectl) -> None:
    objects.create("keeper")
    finalizers = '{"metadata":{"finalizers":["example.com/keep"]}}'
    kubectl("patch", "reqstate/keeper", "-n", objects.namespace, "--type=merge", "-p", finalizers, check=True)
    kubectl("delete", "namespace", objects.namespace, "--wait=false", check=True)

    process = windlass.start()

    assert process.wait() == RUN_TIME
    assert "is being deleted" in said_in_one_line(process)
    kubectl(
        "patch",
        "reqstate/keeper",
        "-n",
        objects.namespace,
        "--type=merge",
        "-p",
        finalizers.replace('["example.com/keep"]', "null"),
    )


def test_flags_come_from_the_environment_as_well(windlass: Windlass, objects: Objects) -> None:
    windlass.worker(environment={"WINDLASS_JOB_DURATION": "0"})

    director = windlass.start("-name=told", "-jobs=JOB1,JOB2")

    assert director.wait() == 0
    assert transitions(objects.get("told")) == TWO_JOBS


def test_worker_serves_its_metrics_to_who_may_read_them(windlass: Windlass, control_plane: Cluster) -> None:
    port = free_port()
    windlass.worker(f"-metrics-bind-address=127.0.0.1:{port}")

    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=5, context=ssl._create_unverified_context())  # noqa: S323 - it signs for itself
    assert metrics(connection) == (401, "unauthorized\n")
    status, text = metrics(connection, control_plane.token)
    connection.close()
    assert status == 200
    assert "workqueue_depth{" in text


def test_worker_serves_its_metrics_to_everybody_if_told_so(windlass: Windlass) -> None:
    port = free_port()
    windlass.worker(f"-metrics-bind-address=127.0.0.1:{port}", "-metrics-secure=false")

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    status, text = metrics(connection)
    connection.close()
    assert (status, "workqueue_depth{" in text) == (200, True)


def metrics(connection: http.client.HTTPConnection, token: str = "") -> tuple[int, str]:
    connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {token}"} if token else {})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()
