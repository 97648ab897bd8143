import gzip
import os
import tarfile
from pathlib import Path

import msgspec

from controllers.ociregistry.documents import Descriptor, ImageConfig, Platform
from controllers.workerbuild.base_image import BaseImage, scratch
from controllers.workerbuild.dockerfile import dockerfile
from controllers.workerbuild.image import image_config, image_manifest
from controllers.workerbuild.layer import folder_files, write_layer


def filled(folder: Path, names: list[str], time: int, mode: int) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        path.chmod(mode)
        os.utime(path, (time, time))
    return folder


def test_a_layer_depends_on_its_content_alone(tmp_path: Path) -> None:
    names = ["config.capnp", "w0/m0", "w0/m10", "w0/m2", "w1/m0"]
    first = filled(tmp_path / "first", names, 1_000_000_000, 0o600)
    second = filled(tmp_path / "second", names[::-1], 1_500_000_000, 0o755)

    layers = [write_layer(folder_files(folder, "worker"), tmp_path / f"{folder.name}.gz") for folder in (first, second)]

    assert layers[0].diff_id == layers[1].diff_id
    assert layers[0].blob.descriptor == layers[1].blob.descriptor
    with tarfile.open(tmp_path / "first.gz") as tar:
        members = tar.getmembers()
    files = ["config.capnp", "w0", "w0/m0", "w0/m10", "w0/m2", "w1", "w1/m0"]
    assert [member.name for member in members] == ["worker", *(f"worker/{name}" for name in files)]
    assert {(member.uid, member.gid, member.mtime, member.uname) for member in members} == {(0, 0, 0, "")}
    assert {oct(member.mode) for member in members} == {"0o644", "0o755"}
    assert gzip.decompress((tmp_path / "first.gz").read_bytes())[:6] == b"worker"


def test_links_out_of_the_folder_do_not_come_into_the_image(tmp_path: Path) -> None:
    folder = filled(tmp_path / "worker", ["config.capnp"], 0, 0o644)
    (folder / "link").symlink_to("/etc/passwd")

    assert [file.path.name for file in folder_files(folder, "worker")] == ["config.capnp"]


def test_the_configuration_keeps_what_the_base_has_and_says_how_workerd_is_started(tmp_path: Path) -> None:
    code = write_layer(folder_files(filled(tmp_path / "w", ["config.capnp"], 0, 0o644), "worker"), tmp_path / "layer")
    base = BaseImage(
        ImageConfig(
            architecture="arm64",
            os="linux",
            config={"Env": ["A=b"], "Entrypoint": ["sh"], "User": "root"},
            rootfs={"type": "layers", "diff_ids": ["sha256:of-the-base"]},
        ),
        [Descriptor(media_type="application/vnd.docker.image.rootfs.diff.tar.gzip", digest="sha256:base", size=1)],
    )

    config = msgspec.json.decode(image_config(base, [code], [8081, 8080]).content)
    manifest = msgspec.json.decode(image_manifest(image_config(base, [code], [8080]).descriptor, base, [code]))

    assert config["config"] == {
        "Env": ["A=b"],
        "User": "65532:65532",
        "ExposedPorts": {"8080/tcp": {}, "8081/tcp": {}},
        "Entrypoint": ["/usr/local/bin/workerd"],
        "Cmd": ["serve", "/worker/config.capnp"],
        "WorkingDir": "/worker",
    }
    assert (config["architecture"], config["created"]) == ("arm64", "1970-01-01T00:00:00Z")
    assert config["rootfs"]["diff_ids"] == ["sha256:of-the-base", code.diff_id]
    # One family of media types in one manifest.
    assert {layer["mediaType"] for layer in manifest["layers"]} == {"application/vnd.oci.image.layer.v1.tar+gzip"}
    assert manifest["schemaVersion"] == 2


def test_scratch_has_no_layers_and_the_platform_that_was_asked_for() -> None:
    base = scratch(Platform(os="linux", architecture="riscv64"))

    assert (base.config.architecture, list(base.layers), base.config.diff_ids) == ("riscv64", [], [])


# Upstream's was downloaded from a branch at build time, and compiled what only a start can judge.
def test_the_dockerfile_is_generated_and_runs_nothing() -> None:
    assert dockerfile("registry.example/base@sha256:1") == (
        "FROM registry.example/base@sha256:1\n"
        "COPY worker /worker\n"
        "WORKDIR /worker\n"
        "USER 65532:65532\n"
        'ENTRYPOINT ["/usr/local/bin/workerd"]\n'
        'CMD ["serve", "/worker/config.capnp"]\n'
    )
