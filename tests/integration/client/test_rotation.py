"""Tokens, authorities and client certificates that are replaced while an informer runs: no restart, no gap."""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import ObjectMeta
from framework.client import Client, Credentials, connect, from_kubeconfig, from_service_account
from framework.client.package_config import incluster_config
from framework.clock import SystemClock
from framework.errors import ConfigurationError, Unauthorized
from framework.informers import InformerOptions, SharedInformer
from framework.randomness import system_random
from framework.runtime import ThreadRuntime
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from tests.integration.client.rotation import Rotation


@pytest.fixture(scope="module")
def plane(binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """One for these tests alone: nobody else would believe it afterwards."""
    if not (binaries / "pki").is_file():
        pytest.skip("these binaries cannot issue certificates")
    with ControlPlane(binaries, tmp_path_factory.mktemp("rotating")) as started:
        yield started


@pytest.fixture
def rotation(plane: ControlPlane, binaries: Path, tmp_path: Path) -> Rotation:
    return Rotation(plane, binaries / "pki", tmp_path)


class Followed:
    """An informer of ConfigMaps, and a way to see whether it still hears."""

    def __init__(self, credentials: Credentials, plane: ControlPlane) -> None:
        self._plane = plane
        self._created = 0
        self.client = connect(credentials)
        self.informer: SharedInformer[ConfigMap] = SharedInformer(
            ConfigMap,
            client=self.client,
            clock=SystemClock(),
            runtime=ThreadRuntime(),
            random=system_random(),
            options=InformerOptions(namespaces=("default",)),
        )
        self.informer.start()

    def hears(self) -> bool:
        """Whether it hears of a new object, which somebody else makes."""
        self._created += 1
        name = f"map-{self._created}-{id(self)}"
        with closing(connect(from_kubeconfig(str(self._plane.kubeconfig), clock=SystemClock())).connection) as admin:
            Client(admin).create(ConfigMap(metadata=ObjectMeta(name=name, namespace="default")))
        return wait_until(lambda: name in self._names() and self.informer.problem is None, limit_seconds=60)

    def close(self) -> None:
        self.informer.close()
        self.client.connection.close()

    def _names(self) -> set[str]:
        return {one.metadata.name for one in self.informer.lister.list()}


def write_kubeconfig(path: Path, server: str, authority: Path, user: Mapping[str, Any]) -> str:
    document = {
        "clusters": [{"name": "c", "cluster": {"server": server, "certificate-authority": str(authority)}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    path.write_text(json.dumps(document))
    return str(path)


def test_an_authority_is_replaced_by_way_of_a_bundle_of_old_and_new(
    plane: ControlPlane, rotation: Rotation, tmp_path: Path
) -> None:
    bundle = tmp_path / "ca.crt"
    bundle.write_bytes(rotation.authority)
    kubeconfig = write_kubeconfig(tmp_path / "config", plane.url, bundle, {"token": plane.token})
    with closing(Followed(from_kubeconfig(kubeconfig, clock=SystemClock()), plane)) as followed:
        before = followed.hears()
        old, new = rotation.authority, rotation.prepare_authority()

        bundle.write_bytes(old + new)
        rotation.use_prepared_authority()
        with_both = followed.hears()
        bundle.write_bytes(new)
        rotation.forget_old_authorities()

        assert (before, with_both, followed.hears()) == (True, True, True)


def test_a_client_certificate_is_replaced_in_its_files_before_the_old_one_is_refused(
    plane: ControlPlane, rotation: Rotation, tmp_path: Path
) -> None:
    rotation.prepare_authority()
    rotation.use_prepared_authority()
    certificate, key = tmp_path / "client.crt", tmp_path / "client.key"
    for path, content in zip((certificate, key), rotation.client_certificate("carol", "system:masters"), strict=True):
        path.write_bytes(content)
    user = {"client-certificate": str(certificate), "client-key": str(key)}
    kubeconfig = write_kubeconfig(tmp_path / "config", plane.url, plane.ca_file, user)
    with closing(Followed(from_kubeconfig(kubeconfig, clock=SystemClock()), plane)) as followed:
        before = followed.hears()
        rotation.prepare_authority()
        rotation.use_prepared_authority()
        for path, content in zip(
            (certificate, key), rotation.client_certificate("carol", "system:masters"), strict=True
        ):
            path.write_bytes(content)

        rotation.forget_old_authorities()

        assert (before, followed.hears()) == (True, True)


def test_a_kubeconfig_that_is_rewritten_with_a_new_token_is_read_when_the_old_one_is_refused(
    plane: ControlPlane, rotation: Rotation, tmp_path: Path
) -> None:
    impersonation = {"as": "somebody", "as-groups": ["system:masters"]}
    kubeconfig = write_kubeconfig(
        tmp_path / "config", plane.url, plane.ca_file, {"token": plane.token, **impersonation}
    )
    alice = json.loads(plane.kubeconfig_for("alice").read_text())["users"][0]["user"]["token"]
    write_kubeconfig(tmp_path / "alice", plane.url, plane.ca_file, {"token": alice})
    with (
        closing(Followed(from_kubeconfig(kubeconfig, clock=SystemClock()), plane)) as followed,
        closing(connect(from_kubeconfig(str(tmp_path / "alice"), clock=SystemClock())).connection) as connection,
    ):
        as_alice = Client(connection)
        as_alice.raw_get("/api")
        token = rotation.replace_token("alice")
        with pytest.raises(Unauthorized):
            as_alice.raw_get("/api")

        write_kubeconfig(tmp_path / "alice", plane.url, plane.ca_file, {"token": token})

        assert as_alice.raw_get("/api")
        assert followed.hears()


def test_the_account_of_a_pod_follows_its_token_and_authority(
    plane: ControlPlane, rotation: Rotation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, port = plane.url.removeprefix("https://").split(":")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)
    monkeypatch.setattr(incluster_config(), "SERVICE_TOKEN_FILENAME", str(tmp_path / "token"))
    monkeypatch.setattr(incluster_config(), "SERVICE_CERT_FILENAME", str(tmp_path / "ca.crt"))
    (tmp_path / "token").write_text("expired")
    (tmp_path / "ca.crt").write_bytes(plane.ca_file.read_bytes())
    with closing(Followed(from_service_account(clock=SystemClock()), plane)) as followed:
        refused = wait_until(lambda: isinstance(followed.informer.failure, Unauthorized), limit_seconds=30)
        (tmp_path / "token").write_text(plane.token)
        with_token = followed.hears()

        (tmp_path / "ca.crt").write_bytes(rotation.prepare_authority())
        rotation.use_prepared_authority()

        assert (refused, with_token, followed.hears()) == (True, True, True)


def test_a_kubeconfig_that_now_leads_to_another_server_is_not_followed_there(
    plane: ControlPlane, second_control_plane: ControlPlane, tmp_path: Path
) -> None:
    path = tmp_path / "config"
    write_kubeconfig(path, plane.url, plane.ca_file, {"token": "revoked"})
    with closing(connect(from_kubeconfig(str(path), clock=SystemClock())).connection) as connection:
        write_kubeconfig(
            path, second_control_plane.url, second_control_plane.ca_file, {"token": second_control_plane.token}
        )

        with pytest.raises(ConfigurationError, match="start the process again"):
            Client(connection).raw_get("/api")

        assert connection.server == plane.url
