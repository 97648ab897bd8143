"""The server on a port: its start, its end, and how one finds it."""

import socket
from pathlib import Path

import pytest
import yaml

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta
from framework.apiserver.companions import essential
from framework.apiserver.embedded import EmbeddedOptions, EmbeddedServer
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.errors import ApiError, ConfigurationError


def client_of(kubeconfig: Path) -> Client:
    return connect(from_kubeconfig(str(kubeconfig), clock=SystemClock()))


def options(*, is_durable: bool = False, port: int = 0) -> EmbeddedOptions:
    return EmbeddedOptions(is_durable=is_durable, port=port, controllers=essential)


def write_and_read(kubeconfig: Path, name: str) -> str:
    client = client_of(kubeconfig)
    try:
        client.create(ConfigMap(metadata=ObjectMeta(name=name, namespace="default")))
        return client.get(ConfigMap, Key("default", name)).metadata.name
    finally:
        client.connection.close()


def test_the_kubeconfig_that_it_leaves_is_an_administrator_s(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path, options=options()) as server:
        assert write_and_read(server.kubeconfig, "one") == "one"
        assert yaml.safe_load(server.kubeconfig.read_text())["clusters"][0]["cluster"]["server"] == server.url


def test_a_kubeconfig_for_somebody_has_no_rights_that_nobody_gave(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path, options=options()) as server:
        client = client_of(server.kubeconfig_for("somebody", ("some-group",)))

        with pytest.raises(ApiError) as refused:
            client.get(ConfigMap, Key("default", "one"))
        client.connection.close()

    assert refused.value.code == 403
    assert 'User "somebody" cannot get resource "configmaps"' in refused.value.status.message


def test_it_comes_back_on_the_same_port_with_what_was_written(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path, options=options(is_durable=True))
    server.start()
    url = server.url
    write_and_read(server.kubeconfig, "one")
    server.stop()

    server.start()
    client = client_of(server.kubeconfig)
    found = client.get(ConfigMap, Key("default", "one"))
    client.connection.close()
    server.stop()

    assert server.url == url
    assert found.metadata.name == "one"


def test_without_a_disk_a_restart_begins_anew(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path, options=options())
    server.start()
    write_and_read(server.kubeconfig, "one")
    server.stop()

    server.start()
    again = write_and_read(server.kubeconfig, "one")
    server.stop()

    assert again == "one"


def test_a_port_that_is_taken_is_a_mistake_of_the_configuration(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = EmbeddedServer(tmp_path, options=options(port=port))

        with pytest.raises(ConfigurationError, match=f"cannot listen on 127.0.0.1:{port}"):
            server.start()

    server.start()
    server.stop()


def test_a_folder_that_cannot_be_used_is_one_too(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ConfigurationError, match="choose one that can be written to"):
        EmbeddedServer(tmp_path / "file", options=options()).start()


def test_a_second_server_on_the_same_objects_is_refused(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path, options=options(is_durable=True)):
        second = EmbeddedServer(tmp_path, options=options(is_durable=True))

        with pytest.raises(ConfigurationError, match="another server"):
            second.start()


def test_stopping_twice_or_before_the_start_is_no_error(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path, options=options())
    server.stop()
    server.start()

    server.stop()
    server.stop()
