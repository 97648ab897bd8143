from collections.abc import Callable
from pathlib import Path

import pytest

from framework.client import find_credentials
from framework.client.package_config import incluster_config
from framework.errors import ConfigurationError
from framework.testing.virtual_time import VirtualTime

TEMPLATE = """
current-context: x
contexts: [{{name: x, context: {{cluster: c}}}}]
clusters: [{{name: c, cluster: {{server: "https://{name}"}}}}]
"""
Find = Callable[..., str]


@pytest.fixture
def find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Find:
    for name in ("flag", "environment", ".kube/config"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(TEMPLATE.format(name=path.name))
    for name, constant in (("token", "SERVICE_TOKEN_FILENAME"), ("ca.crt", "SERVICE_CERT_FILENAME")):
        (tmp_path / name).write_text("x")
        monkeypatch.setattr(incluster_config(), constant, str(tmp_path / name))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "pod")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")

    def find(*, flag: bool = False, variable: bool = False, in_cluster: bool = False, home: Path = tmp_path) -> str:
        environment = {"KUBECONFIG": str(tmp_path / "environment")} if variable else {"KUBECONFIG": ""}
        environment |= {"KUBERNETES_SERVICE_HOST": "pod"} if in_cluster else {}
        kubeconfig = str(tmp_path / "flag") if flag else None
        found = find_credentials(
            kubeconfig=kubeconfig, master=None, environment=environment, home=home, clock=VirtualTime().clock
        )
        return found.address().server

    return find


def test_the_flag_comes_first(find: Find) -> None:
    assert find(flag=True, variable=True, in_cluster=True) == "https://flag"


def test_the_environment_comes_second(find: Find) -> None:
    assert find(variable=True, in_cluster=True) == "https://environment"


def test_the_service_account_comes_third(find: Find) -> None:
    assert find(in_cluster=True) == "https://pod:443"


def test_the_file_of_the_user_comes_last(find: Find) -> None:
    assert find() == "https://config"


def test_without_any_of_them_the_error_says_what_to_give(find: Find, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no cluster: .*nowhere/\.kube/config does not exist; give one"):
        find(home=tmp_path / "nowhere")
