"""What is given to users is accepted as it is."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from framework.testing.control_plane import ControlPlane
from tests.conftest import Kubectl

ROOT = Path(__file__).parents[3]
SAMPLES = sorted((ROOT / "config" / "samples" / "laf").glob("*.yaml"))
KINDS = {"Namespace", "Bundle", "Runtime", "Cluster", "Application", "Instance", "CreationForm"}


def test_there_is_a_sample_of_every_kind() -> None:
    found = {document["kind"] for path in SAMPLES for document in yaml.safe_load_all(path.read_text())}

    assert found == KINDS


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_sample_is_accepted_field_by_field(path: Path, kubectl: Kubectl, namespace: str) -> None:
    documents = [each for each in yaml.safe_load_all(path.read_text()) if each["kind"] != "Namespace"]
    for document in documents:
        document["metadata"]["namespace"] = namespace

    manifest = "---\n".join(yaml.safe_dump(each) for each in documents)
    if manifest:
        # Strict: a field that the schema does not know would be dropped without a word.
        kubectl("apply", "--dry-run=server", "--validate=strict", "-f", "-", input=manifest, check=True)


@pytest.mark.timeout(300)
def test_the_demo_brings_an_application_up_and_down(control_plane: ControlPlane) -> None:
    # It starts control planes of its own; the fixture only tells whether there is anything to start.
    done = subprocess.run(["make", "laf-demo"], cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    phases = re.findall(r"Application tenant-a/shop is (\w+)", done.stdout)
    assert phases == ["Initializing", "Initialized", "Starting", "Running", "Stopping", "Stopped", "Stopping", "gone"]
    assert "nothing of it is left on the remote cluster" in done.stdout
