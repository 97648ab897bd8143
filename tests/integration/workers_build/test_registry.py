"""Pushing to, reading from and deleting in a real registry, with the logins that registries ask for."""

import gzip
import io
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
import requests

from controllers.ociregistry.blob import BytesBlob
from controllers.ociregistry.credentials import Login, RegistryCredentials
from controllers.ociregistry.documents import OCI_CONFIG, OCI_INDEX, OCI_LAYER, OCI_MANIFEST, digest_of
from controllers.ociregistry.errors import DeleteDisabled, RegistryRefused, RegistryUnavailable
from controllers.ociregistry.reference import parse_repository
from controllers.ociregistry.registry import ImageRegistry
from tests.integration.workers_build.failing_registry import FailingRegistry
from tests.integration.workers_build.registry import Registry
from tests.integration.workers_build.steps import Steps, row
from tests.integration.workers_build.token_server import TokenServer

GOOD = "export default { fetch() { return new Response('good'); } };"
USER, PASSWORD = "builder", "pass-word-of-the-registry"
# Of bcrypt, which the registry takes alone.
PASSWORD_HASH = "$2y$04$aaaaaaaaaaaaaaaaaaaaaOxPzCTbOzD.L2asueQBf5VUCh96qE.nW"
Script = Callable[..., str]


@pytest.fixture
def fetched(steps: Steps, script: Script) -> Steps:
    assert steps.fetch(row("hello", sources=[script(GOOD)])).code == 0
    return steps


@pytest.fixture
def failing(registry: Registry) -> Iterator[FailingRegistry]:
    started = FailingRegistry(registry.host)
    yield started
    started.close()


def images(registry: Registry) -> ImageRegistry:
    return ImageRegistry(RegistryCredentials({registry.host: Login(USER, PASSWORD)}))


def docker_config(folder: Path, host: str, password: str = PASSWORD) -> Path:
    path = folder / "config.json"
    path.write_bytes(msgspec.json.encode({"auths": {f"http://{host}/v1/": {"username": USER, "password": password}}}))
    return path


def test_a_registry_that_answers_500_once_ends_with_1_and_the_next_try_succeeds(
    fetched: Steps, failing: FailingRegistry, registry: Registry
) -> None:
    failing.fail_once("PUT", 500)

    first = fetched.build(f"{failing.host}/faults/image:c-1")
    second = fetched.build(f"{failing.host}/faults/image:c-1")

    assert (first.code, first.termination["reason"]) == (1, "RegistryUnavailable")
    assert second.code == 0
    assert images(registry).digest_of(f"{registry.host}/faults/image:c-1") == second.termination["digest"]


def test_what_is_in_the_registry_already_is_not_sent_again(fetched: Steps, failing: FailingRegistry) -> None:
    first = fetched.build(f"{failing.host}/twice/image:c-1")
    failing.asked.clear()

    second = fetched.build(f"{failing.host}/twice/image:c-2")

    assert second.termination["digest"] == first.termination["digest"]
    assert [method for method, _ in failing.asked] == ["HEAD", "HEAD", "PUT"]


def test_an_image_is_found_deleted_once_and_then_gone(fetched: Steps, registry: Registry) -> None:
    digest = fetched.build(f"{registry.host}/gone/image:c-1").termination["digest"]
    asked = images(registry)

    assert asked.digest_of(f"{registry.host}/gone/image:c-1") == digest
    assert asked.digest_of(f"{registry.host}/gone/image:c-1@{digest}") == digest
    assert asked.delete(f"{registry.host}/gone/image", digest) is True
    assert asked.digest_of(f"{registry.host}/gone/image:c-1") is None
    assert asked.delete(f"{registry.host}/gone/image", digest) is False
    assert asked.digest_of(f"{registry.host}/never/there") is None


def test_a_registry_without_delete_and_one_that_is_busy_are_told_apart(
    fetched: Steps, registry: Registry, failing: FailingRegistry, tmp_path: Path
) -> None:
    keeping = Registry(tmp_path / "keeping", deletes=False)
    try:
        digest = fetched.build(f"{keeping.host}/kept/image:c-1").termination["digest"]

        with pytest.raises(DeleteDisabled):
            images(keeping).delete(f"{keeping.host}/kept/image", digest)
    finally:
        keeping.close()
    failing.fail_once("DELETE", 503)
    with pytest.raises(RegistryUnavailable):
        images(registry).delete(f"{failing.host}/kept/image", digest)
    with pytest.raises(RegistryUnavailable):
        images(registry).digest_of(f"{keeping.host}/kept/image:c-1")


def test_a_login_by_password_is_used_and_a_wrong_one_ends_with_1_and_is_not_shown(
    fetched: Steps, tmp_path: Path
) -> None:
    (tmp_path / "htpasswd").write_text(f"{USER}:{PASSWORD_HASH}\n")
    guarded = Registry(tmp_path / "guarded", auth={"htpasswd": {"realm": "test", "path": str(tmp_path / "htpasswd")}})
    try:
        wrong = docker_config(tmp_path, guarded.host, "wrong-pass-word")
        refused = fetched.build(f"{guarded.host}/acme/image:c-1", f"-docker-config={wrong}")
        anonymous = fetched.build(f"{guarded.host}/acme/image:c-1")
        right = docker_config(tmp_path, guarded.host)
        built = fetched.build(f"{guarded.host}/acme/image:c-1", f"-docker-config={right}")
    finally:
        guarded.close()

    assert (refused.code, refused.termination["reason"]) == (1, "RegistryRefused")
    assert "wrong-pass-word" not in refused.stderr + str(refused.termination)
    assert (anonymous.code, "no login" in anonymous.stderr) == (1, True)
    assert built.code == 0


def test_a_token_is_fetched_for_what_the_registry_asks_for(fetched: Steps, tmp_path: Path) -> None:
    tokens = TokenServer(tmp_path / "tokens", USER, PASSWORD)
    guarded = Registry(tmp_path / "guarded", auth=tokens.registry_auth)
    try:
        config = docker_config(tmp_path, guarded.host)
        built = fetched.build(f"{guarded.host}/acme/image:c-1", f"-docker-config={config}")
        digest = built.termination["digest"]
        found = images(guarded).digest_of(f"{guarded.host}/acme/image:c-1")
        is_deleted = images(guarded).delete(f"{guarded.host}/acme/image", digest)
        strangers = ImageRegistry(RegistryCredentials())
        with pytest.raises(RegistryRefused):
            strangers.digest_of(f"{guarded.host}/acme/image:c-1")
    finally:
        guarded.close()
        tokens.close()

    assert (built.code, found, is_deleted) == (0, digest, True)
    assert tokens.scopes[-1] == ["repository:acme/image:delete"]
    assert all(scope.startswith("repository:acme/image:") for scopes in tokens.scopes for scope in scopes)


def put_base(registry: Registry, repository: str) -> list[str]:
    """An image for two platforms; the digests of the layers of the first one."""
    layers = []
    with images(registry).repository(parse_repository(f"{registry.host}/{repository}")) as remote:
        entries = []
        for architecture in ("amd64", "arm64"):
            layer = layer_with(f"etc/{architecture}", architecture)
            blob = BytesBlob(layer, OCI_LAYER)
            config = {
                "architecture": architecture,
                "os": "linux",
                "config": {"Env": ["PATH=/usr/bin"], "Cmd": ["sh"]},
                "rootfs": {"type": "layers", "diff_ids": [digest_of(gzip.decompress(layer))]},
            }
            config_blob = BytesBlob(msgspec.json.encode(config), OCI_CONFIG)
            remote.put_blob(blob)
            remote.put_blob(config_blob)
            manifest = msgspec.json.encode(
                {
                    "schemaVersion": 2,
                    "mediaType": OCI_MANIFEST,
                    "config": msgspec.to_builtins(config_blob.descriptor),
                    "layers": [msgspec.to_builtins(blob.descriptor)],
                }
            )
            digest = remote.put_manifest(digest_of(manifest), manifest)
            entries.append(
                {
                    "mediaType": OCI_MANIFEST,
                    "digest": digest,
                    "size": len(manifest),
                    "platform": {"os": "linux", "architecture": architecture},
                }
            )
            layers.append(blob.descriptor.digest)
        index = msgspec.json.encode({"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": entries})
        remote.put_manifest("1", index, OCI_INDEX)
    return layers


def layer_with(name: str, text: str) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as tar:
        entry = tarfile.TarInfo(name)
        entry.size = len(text)
        tar.addfile(entry, io.BytesIO(text.encode()))
    return target.getvalue()


def test_the_layers_of_a_base_are_mounted_in_the_same_registry_and_copied_to_another(
    fetched: Steps, registry: Registry, failing: FailingRegistry, tmp_path: Path
) -> None:
    layers = put_base(registry, "bases/glibc")
    other = Registry(tmp_path / "other")
    try:
        near = fetched.build(f"{failing.host}/built/near:c-1", f"-base={failing.host}/bases/glibc:1")
        far = fetched.build(f"{other.host}/built/far:c-1", f"-base={registry.host}/bases/glibc:1")
        arm = fetched.build(
            f"{registry.host}/built/arm:c-1", f"-base={registry.host}/bases/glibc:1", "-platform=linux/arm64"
        )
        none = fetched.build(
            f"{registry.host}/built/none:c-1", f"-base={registry.host}/bases/glibc:1", "-platform=linux/riscv64"
        )

        assert [near.code, far.code, arm.code, none.code] == [0, 0, 0, 1], [near, far, arm, none]
        assert near.termination["digest"] == far.termination["digest"]
        assert [each["digest"] for each in other.document("built/far", "c-1")["layers"]][:1] == layers[:1]
        assert other.blob("built/far", layers[0]) == registry.blob("bases/glibc", layers[0])
        assert registry.document("built/arm", "c-1")["layers"][0]["digest"] == layers[1]
    finally:
        other.close()
    assert any(method == "POST" and "mount=" in path for method, path in failing.asked)
    # Not one byte of it went through us.
    assert not any(method == "GET" and layers[0] in path for method, path in failing.asked)
    config = registry.config("built/near", "c-1")
    assert config["config"]["Env"] == ["PATH=/usr/bin"]
    assert config["config"]["Cmd"] == ["serve", "/worker/config.capnp"]
    assert len(config["rootfs"]["diff_ids"]) == 2
    assert none.termination["reason"] == "ImageNotFound"


def test_a_name_that_no_image_can_have_ends_with_42(fetched: Steps) -> None:
    ended = fetched.build("registry.example/Upper/Case:c-1")

    assert (ended.code, ended.termination["reason"]) == (42, "InvalidImage")


def test_a_registry_elsewhere_is_never_asked_by_plain_http(fetched: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def refuse(_session: requests.Session, _method: str, url: str, **_arguments: object) -> None:
        asked.append(url)
        raise requests.ConnectionError("not from a test")

    monkeypatch.setattr(requests.Session, "request", refuse)

    ended = fetched.build("registry.example:5000/acme/image:c-1")
    plain = fetched.build("registry.example:5000/acme/image:c-1", "-insecure-registry=registry.example:5000")

    assert [ended.code, plain.code] == [1, 1]
    assert [url.partition(":")[0] for url in asked] == ["https", "http"]
