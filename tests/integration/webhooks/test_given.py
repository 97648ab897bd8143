"""Configurations and certificates that somebody else makes: a chart, cert-manager."""

import ssl
from pathlib import Path
from typing import Any

from apis.core.v1 import ConfigMap
from apis.meta import Key, Unstructured
from framework.certificates import CertificateOptions
from framework.certificates.authority import Authority
from framework.clock import SystemClock
from framework.manager import Manager
from framework.testing.control_plane.ports import free_port
from framework.testing.control_plane.waiting import wait_until
from framework.webhooks.configuration import VALIDATING, encoded
from tests.integration.webhooks.stage import LIMIT_SECONDS, Stage

BUNDLE = "/webhooks/0/clientConfig/caBundle"


def declared(stage: Stage, seen: list[Any], certificates: CertificateOptions, **options: Any) -> Manager:
    port = free_port()
    manager = stage.manager(certificates, address=f"127.0.0.1:{port}", url=f"https://127.0.0.1:{port}", **options)
    manager.webhooks.validate(ConfigMap, seen.append, stage.hook_options())
    return manager


def install(stage: Stage, manager: Manager) -> None:
    """As a chart does it, which does not know the bundle."""
    for manifest in manager.webhooks.manifests():
        stage.client.create(Unstructured(content=manifest), kind=VALIDATING)


def test_a_configuration_of_a_chart_gets_the_bundle_and_nothing_else(stage: Stage) -> None:
    seen: list[Any] = []
    chosen = CertificateOptions(secret=Key(stage.namespace, "certificates"))
    manager = declared(stage, seen, chosen, manages_configurations=False)
    install(stage, manager)
    change = {"op": "add", "path": "/webhooks/0/timeoutSeconds", "value": 7}
    stage.client.json_patch(VALIDATING, Key("", stage.name), [change])

    stage.start(manager)
    stage.until_called(seen)

    found: Unstructured = stage.client.get(VALIDATING, Key("", stage.name))
    assert found.content["webhooks"][0]["timeoutSeconds"] == 7, "what the chart says stays"


def test_a_configuration_that_comes_later_gets_the_bundle_at_once(stage: Stage) -> None:
    seen: list[Any] = []
    chosen = CertificateOptions(secret=Key(stage.namespace, "certificates"), poll_seconds=3600)
    manager = declared(stage, seen, chosen, manages_configurations=False)
    stage.start(manager)

    install(stage, manager)

    stage.until_called(seen)


def test_certificates_in_a_folder_are_shown_and_followed(stage: Stage, tmp_path: Path) -> None:
    seen: list[Any] = []
    old, new = (Authority.create(clock=SystemClock()) for _ in range(2))
    put(tmp_path, old)
    manager = declared(stage, seen, CertificateOptions(poll_seconds=0.1), certificate_folder=tmp_path)
    install(stage, manager)
    both = {"op": "add", "path": BUNDLE, "value": encoded(old.certificate + new.certificate)}
    stage.client.json_patch(VALIDATING, Key("", stage.name), [both])
    stage.start(manager)
    stage.until_called(seen)
    before = shown(manager)

    put(tmp_path, new)
    assert wait_until(lambda: shown(manager) != before, limit_seconds=LIMIT_SECONDS)
    seen.clear()
    stage.create("after")

    assert len(seen) == 1


def put(folder: Path, authority: Authority) -> None:
    pair = authority.issue_server(["127.0.0.1"])
    (folder / "tls.crt").write_bytes(pair.certificate)
    (folder / "tls.key").write_bytes(pair.key)


def shown(manager: Manager) -> str:
    return ssl.get_server_certificate(("127.0.0.1", manager.webhooks.port))
