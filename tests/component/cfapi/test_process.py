"""The mode of the binary, as a process."""

import signal
import subprocess
import sys
from pathlib import Path

import requests

from framework.testing.control_plane.ports import free_port
from framework.testing.control_plane.waiting import wait_until
from tests.integration.workers_build.storage import BUCKET, KEY_ID, REGION, SECRET_KEY, Storage

ROOT = Path(__file__).parents[3]
LIMIT_SECONDS = 90.0


def test_process_serves_until_it_is_told_to_stop(
    kubeconfig: Path, definitions: None, namespace: str, moto_storage: Storage, tmp_path: Path
) -> None:
    port = free_port()
    flags = [
        "-mode=cf-api",
        f"-kubeconfig={kubeconfig}",
        f"-namespace={namespace}",
        f"-listen=127.0.0.1:{port}",
        f"-s3-endpoint={moto_storage.url}",
        f"-s3-region={REGION}",
        f"-s3-bucket={BUCKET}",
    ]
    variables = {"AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET_KEY, "HOME": str(tmp_path)}

    def is_ready() -> bool:
        try:
            return requests.get(f"http://127.0.0.1:{port}/readyz", timeout=10).ok
        except requests.ConnectionError:
            return False

    with (tmp_path / "log").open("w") as log:
        command = [sys.executable, "-m", "controllers", *flags]
        with subprocess.Popen(command, cwd=ROOT, env=variables, stdout=log, stderr=log) as process:
            try:
                assert wait_until(lambda: process.poll() is not None or is_ready(), limit_seconds=LIMIT_SECONDS)
                assert process.poll() is None, (tmp_path / "log").read_text()
                answer = requests.get(f"http://127.0.0.1:{port}/client/v4/user", timeout=10)
                process.send_signal(signal.SIGTERM)
                code = process.wait(LIMIT_SECONDS)
            finally:
                process.kill()

    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (401, 10000)
    assert code == 0
    assert SECRET_KEY not in (tmp_path / "log").read_text()
