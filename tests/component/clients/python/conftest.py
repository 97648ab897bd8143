"""Fixtures: the official package, configured as its documentation says."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.component.clients.conftest import SAMPLES
from tests.component.clients.package import client, config, utils

GROUP, VERSION, WIDGETS = "clients.example", "v1", "widgets"


@pytest.fixture(scope="session")
def connection(kubeconfig: Path) -> Iterator[Any]:
    with config.new_client_from_config(config_file=str(kubeconfig)) as connected:
        _install_widgets(connected)
        yield connected


def _install_widgets(connected: Any) -> None:
    definitions = client.ApiextensionsV1Api(connected)
    (manifest,) = yaml.safe_load_all((SAMPLES / "widgets.yaml").read_text())
    name = manifest["metadata"]["name"]
    if not definitions.list_custom_resource_definition(field_selector=f"metadata.name={name}").items:
        utils.create_from_dict(connected, manifest)
    for _ in range(1000):
        conditions = definitions.read_custom_resource_definition(name).status.conditions or ()
        if any((one.type, one.status) == ("Established", "True") for one in conditions):
            return
    raise AssertionError(f"{name} is not established")


@pytest.fixture
def core(connection: Any) -> Any:
    return client.CoreV1Api(connection)


@pytest.fixture
def custom(connection: Any) -> Any:
    return client.CustomObjectsApi(connection)


def a_widget(name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/{VERSION}", "kind": "Widget", "metadata": {"name": name}, "spec": spec}


def a_config_map(name: str, **data: str) -> Any:
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels={"app": "sample"}), data=data)
