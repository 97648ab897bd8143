"""`windlass install-crds`, and what it and `windlass webhook` refuse."""

import os
import subprocess
import sys

import pytest

from apis.meta import resource_type_of
from apis.registry import CF_WORKER_GROUP_KINDS, CUSTOM_KINDS
from framework.testing.control_plane import ControlPlane
from tests.conftest import kubectl_of

PROGRAM = (sys.executable, "-m", "controllers")


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_all_definitions_are_put_on_a_server_by_one_command(fresh_control_plane: ControlPlane) -> None:
    kubeconfig = f"-kubeconfig={fresh_control_plane.kubeconfig}"

    first, again = run("install-crds", kubeconfig), run("install-crds", kubeconfig)

    found = kubectl_of(fresh_control_plane)("get", "crds", "-o", "name", check=True).stdout.split()
    assert (first.returncode, first.stderr) == (0, "")
    assert again.stdout == first.stdout
    assert sorted(found) == sorted(
        f"customresourcedefinition.apiextensions.k8s.io/{line}" for line in first.stdout.split()
    )
    assert len(found) == len(CUSTOM_KINDS)


def test_the_other_group_of_workers_is_installed_only_where_somebody_asks(fresh_control_plane: ControlPlane) -> None:
    names = {resource_type_of(kind).name for kind in CF_WORKER_GROUP_KINDS}
    kubeconfig = f"-kubeconfig={fresh_control_plane.kubeconfig}"

    without, asked = run("install-crds", kubeconfig), run("install-crds", kubeconfig, "-enable-cf-worker-group")

    assert not names & set(without.stdout.split())
    assert set(asked.stdout.split()) == {*without.stdout.split(), *names}


@pytest.mark.parametrize(
    ("arguments", "variables", "words"),
    [
        (("install-crds", "-mode=worker"), {}, "-mode=worker"),
        (("install-crds", "-kubeconfig=/nowhere"), {}, "/nowhere"),
        (("webhook", "-mode=manager"), {}, "webhook has no arguments"),
        (("webhook",), {"TLS_MIN_VERSION": "VersionTLS10"}, "TLS_MIN_VERSION=VersionTLS10"),
        (
            ("webhook",),
            {"TLS_MIN_VERSION": "VersionTLS13", "TLS_CIPHER_SUITES": "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"},
            "TLS_CIPHER_SUITES",
        ),
    ],
)
def test_what_a_command_cannot_use_is_one_line_and_exit_code_2(
    arguments: tuple[str, ...], variables: dict[str, str], words: str
) -> None:
    finished = run(*arguments, **variables)

    assert finished.returncode == 2
    assert words in finished.stderr
    assert finished.stderr.count("\n") == 1
