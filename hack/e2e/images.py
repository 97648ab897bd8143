"""The images of the run, made here: nothing is pulled."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Stands for python:3.11-slim-bookworm, which cannot be pulled everywhere: it proves the steps of the Dockerfile, not
# that image.
BASE = "localhost/windlass-base:bookworm"
IMAGE = "localhost/windlass:e2e"
PAUSE = "localhost/windlass-pause:e2e"
_PACKAGES = "python3.11-minimal,python3.11-venv,python3-pip,ca-certificates"
_CERTIFICATES = Path("/etc/ssl/certs")


def ensure_base() -> None:
    if _has(BASE):
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        _run("debootstrap", "--variant=minbase", f"--include={_PACKAGES}", "bookworm", str(root))
        (root / "usr/bin/python").symlink_to("python3.11")
        for unneeded in ("usr/share/doc", "usr/share/man", "usr/share/locale", "var/cache/apt", "var/lib/apt/lists"):
            shutil.rmtree(root / unneeded, ignore_errors=True)
        archive = Path(folder) / "root.tar"
        _run(
            "tar",
            "-C",
            str(root),
            "--numeric-owner",
            "--exclude=./proc/*",
            "--exclude=./dev/*",
            "-cf",
            str(archive),
            ".",
        )
        _commit(BASE, archive, "/")


def build_image() -> None:
    """By the same script and Dockerfile as everywhere; the flags are for machines without a daemon and a registry."""
    flags = [
        "--isolation=chroot",
        "--network=host",
        "--pull=never",
        "--layers",
        f"--volume={_CERTIFICATES}:{_CERTIFICATES}:ro",
    ]
    bundle = _CERTIFICATES / "ca-certificates.crt"
    environment = {
        **os.environ,
        "IMAGE_TOOL": "buildah",
        "PYTHON_IMAGE": BASE,
        # The host's authorities, for machines whose way to the package index is one of their own.
        "BUILD_FLAGS": " ".join([*flags, f"--env=PIP_CERT={bundle}"] if bundle.exists() else flags),
    }
    _run(str(ROOT / "hack" / "image"), "build", IMAGE, environment=environment)


def ensure_pause_image(program: Path) -> None:
    if not _has(PAUSE):
        _commit(PAUSE, program, "/pause", "--entrypoint", '["/pause"]')


def save(image: str, archive: Path) -> None:
    archive.unlink(missing_ok=True)
    _run("buildah", "push", "--quiet", image, f"docker-archive:{archive}:{image}")


def compressed_megabytes(image: str) -> float:
    """What a node would have to pull."""
    with tempfile.TemporaryDirectory() as folder:
        _run("buildah", "push", "--quiet", "--format=oci", image, f"oci:{folder}:latest")
        return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 1e6


def _has(image: str) -> bool:
    done = subprocess.run(["buildah", "inspect", "--type=image", image], capture_output=True, check=False)
    return done.returncode == 0


def _commit(image: str, content: Path, target: str, *config: str) -> None:
    container = _run("buildah", "from", "scratch").strip()
    try:
        _run("buildah", "add", "--quiet", "--chmod=0755", container, str(content), target) if target != "/" else _run(
            "buildah", "add", "--quiet", container, str(content), target
        )
        if config:
            _run("buildah", "config", *config, container)
        _run("buildah", "commit", "--quiet", "--format=docker", container, image)
    finally:
        _run("buildah", "rm", container)


def _run(*command: str, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:3])} failed: {(done.stderr or done.stdout).strip()[-2000:]}")
    return done.stdout
