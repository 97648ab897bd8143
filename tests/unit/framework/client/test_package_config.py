"""What is loaded of the `kubernetes` package, and what becomes of the rest."""

import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest

from framework.client import from_kubeconfig
from framework.testing.virtual_time import VirtualTime
from tests.unit.framework.client.issuer import issuer_of


def output_of(program: str) -> str:
    """Of a process of its own, in which nothing has been loaded yet."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("module", ["incluster_config", "kube_config"])
def test_generated_client_is_not_loaded(module: str) -> None:
    program = f"""
import sys
from framework.client import package_config

read = []
sys.addaudithook(lambda event, details: read.append(str(details[0])) if event == "open" else None)
package_config.{module}()
print([path for path in read if "/kubernetes/client/models" in path or "/kubernetes/client/api" in path])
"""

    assert output_of(program) == "[]"


def test_who_imports_the_package_later_gets_the_real_one() -> None:
    program = """
from framework.client import package_config
ours = package_config.incluster_config()

import kubernetes
from kubernetes.config import incluster_config

print(kubernetes.client.V1Pod.__name__, incluster_config is not ours, kubernetes.__version__ != "")
"""

    assert output_of(program) == "V1Pod True True"


def test_who_has_imported_the_package_before_keeps_the_real_one() -> None:
    program = """
import sys

import kubernetes
before = {name: module for name, module in sys.modules.items() if name.startswith("kubernetes")}
from framework.client import package_config
package_config.incluster_config(), package_config.kube_config()

print(before == {name: module for name, module in sys.modules.items() if name.startswith("kubernetes")})
"""

    assert output_of(program) == "True"


def test_token_of_an_identity_provider_is_refreshed(tmp_path: Path) -> None:
    expired = base64.urlsafe_b64encode(json.dumps({"exp": 1}).encode()).decode().rstrip("=")
    with issuer_of("new.id.token", tmp_path) as (url, authority):
        provider = {
            "idp-issuer-url": url,
            "idp-certificate-authority": str(authority),
            "client-id": "windlass",
            "client-secret": "s",
            "id-token": f"x.{expired}.x",
            "refresh-token": "r",
        }
        path = tmp_path / "kubeconfig"
        path.write_text(
            json.dumps(
                {
                    "clusters": [{"name": "c", "cluster": {"server": "https://server"}}],
                    "users": [{"name": "u", "user": {"auth-provider": {"name": "oidc", "config": provider}}}],
                    "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
                    "current-context": "x",
                }
            )
        )

        credentials = from_kubeconfig(str(path), clock=VirtualTime().clock)

    assert credentials.authorization() == "Bearer new.id.token"
