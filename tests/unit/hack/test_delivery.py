"""What `make docker-build`, `docker-push`, `deploy` and `undeploy` run."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

HACK = Path(__file__).parents[3] / "hack"


def run(script: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **variables}
    command = [str(HACK / script), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("image", "values"),
    [
        ("windlass", "--set=image.repository=windlass"),
        ("windlass:1", "--set=image.repository=windlass --set-string=image.tag=1"),
        ("host:5000/a/b", "--set=image.repository=host:5000/a/b"),
        ("host:5000/a/b:1.0", "--set=image.repository=host:5000/a/b --set-string=image.tag=1.0"),
        ("a/b@sha256:12", "--set=image.repository=a/b --set=image.digest=sha256:12"),
    ],
)
def test_name_of_the_image_becomes_values_of_the_chart(image: str, values: str) -> None:
    said = run("deploy", "up", image, HELM="echo", HELM_FLAGS="--dry-run").stdout

    assert said == (
        "upgrade --install windlass charts/windlass --namespace windlass-system --create-namespace --wait "
        f"{values} --dry-run\n"
    )


def test_release_is_removed_by_its_name() -> None:
    said = run("deploy", "down", HELM="echo", RELEASE="mine", NAMESPACE="here").stdout

    assert said == "uninstall mine --namespace here --wait --ignore-not-found\n"


def test_choices_are_passed_on_to_the_build() -> None:
    said = run("image", "build", "a:1", IMAGE_TOOL="echo", EXTRAS="aws gcp", PYTHON_IMAGE="base@sha256:1").stdout

    assert said.startswith("build --tag a:1 --build-arg REVISION=")
    assert "--build-arg EXTRAS=aws gcp --build-arg PYTHON_IMAGE=base@sha256:1" in said
    assert said.endswith("--file Dockerfile .\n")


@pytest.fixture
def tool(tmp_path: Path) -> Callable[[str], str]:
    """Plays docker or buildah, which have pulled the base; its path."""

    def make(name: str) -> str:
        program = tmp_path / name
        program.write_text(
            "#!/bin/sh\n"
            'case "$*" in\n'
            '"pull --quiet missing"*) exit 1 ;;\n'
            '"pull "*) ;;\n'
            '"image inspect "*) echo "host:5000/base@sha256:12" ;;\n'
            '"inspect --type image "*) echo "sha256:12" ;;\n'
            '*) echo "$*" ;;\n'
            "esac\n"
        )
        program.chmod(0o700)
        return str(program)

    return make


@pytest.mark.parametrize("name", ["docker", "buildah"])
@pytest.mark.parametrize("base", ["host:5000/base:3.11", "host:5000/base", "host:5000/base@sha256:12"])
def test_base_is_always_given_by_its_digest(name: str, base: str, tool: Callable[[str], str]) -> None:
    said = run("image", "build", "a:1", IMAGE_TOOL=tool(name), PYTHON_IMAGE=base).stdout

    assert "--build-arg PYTHON_IMAGE=host:5000/base@sha256:12 " in said


def test_base_that_cannot_be_looked_up_is_no_base(tool: Callable[[str], str]) -> None:
    done = run("image", "build", "a:1", IMAGE_TOOL=tool("docker"), PYTHON_IMAGE="missing:1")

    assert (done.returncode, done.stdout) == (1, "")
    assert "missing:1 cannot be looked up; give PYTHON_IMAGE=NAME@sha256:" in done.stderr


def test_dockerfile_has_no_base_of_its_own() -> None:
    lines = (HACK.parent / "Dockerfile").read_text().splitlines()

    assert [line for line in lines if line.startswith("FROM ")] == [
        "FROM ${PYTHON_IMAGE} AS build",
        "FROM ${PYTHON_IMAGE}",
    ]
    assert [line for line in lines if line.startswith("ARG PYTHON_IMAGE")] == ["ARG PYTHON_IMAGE"] * 2


def test_image_is_pushed_by_the_same_tool() -> None:
    assert run("image", "push", "a:1", IMAGE_TOOL="echo", PUSH_FLAGS="--quiet").stdout == "push --quiet a:1\n"


@pytest.mark.parametrize(("script", "arguments"), [("image", ["build"]), ("image", ["push"]), ("deploy", ["sideways"])])
def test_what_is_missing_is_said(script: str, arguments: list[str]) -> None:
    done = run(script, *arguments, IMAGE_TOOL="echo", HELM="echo")

    assert done.returncode != 0
    assert done.stderr


def test_every_extra_of_a_cloud_can_be_in_the_image() -> None:
    locks = {path.stem for path in (HACK.parent / "requirements").glob("*.txt")}

    assert {"aws", "azure", "gcp", "ibmcloud", "vsphere", "runtime", "build"} <= locks
