import subprocess
import sys
from pathlib import Path

import msgspec

FOLDER = Path(__file__).resolve().parents[3] / "hack" / "wrangler"


def install(cache: Path, path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, FOLDER / "install", *arguments],
        env={"WINDLASS_CACHE": str(cache), "PATH": str(path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def program(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_the_folder_is_in_the_cache_and_asking_for_it_makes_nothing(tmp_path: Path) -> None:
    done = install(tmp_path / "cache", tmp_path, "--print-folder")

    assert done.returncode == 0
    assert Path(done.stdout.strip()).parent == tmp_path / "cache" / "wrangler"
    assert not (tmp_path / "cache").exists()


def test_without_node_or_with_an_old_one_it_says_what_is_needed(tmp_path: Path) -> None:
    absent = install(tmp_path / "cache", tmp_path)
    program(tmp_path, "node", "echo v18.20.4")
    program(tmp_path, "npm", "exit 1")
    old = install(tmp_path / "cache", tmp_path)

    assert (absent.returncode, absent.stdout) == (1, "")
    assert absent.stderr == "wrangler: needs Node 20 or newer, with npm, on the PATH\n"
    assert (old.returncode, "v18.20.4" in old.stderr) == (1, True)


def test_an_installation_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    program(tmp_path, "node", "echo v22.0.0")
    program(tmp_path, "npm", "echo cannot reach the registry >&2; exit 7")

    done = install(tmp_path / "cache", tmp_path)

    assert done.stderr == "wrangler: npm ci ended with 7: cannot reach the registry\n"
    assert [path.name for path in (tmp_path / "cache" / "wrangler").iterdir()] == [".lock"]


def test_every_package_is_pinned_by_its_hash_and_by_no_host() -> None:
    packages = msgspec.json.decode((FOLDER / "package-lock.json").read_bytes())["packages"]
    del packages[""]

    assert packages["node_modules/wrangler"]["version"] == "4.85.0"
    assert all(package["integrity"].startswith("sha512-") for package in packages.values())
    assert not any("resolved" in package for package in packages.values())
