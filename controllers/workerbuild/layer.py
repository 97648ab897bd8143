"""Layers of an image that depend on nothing but their content: no times, no owners, no order of a file system."""

import gzip
import hashlib
import io
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

import msgspec

from controllers.ociregistry.blob import FileBlob
from controllers.ociregistry.documents import OCI_LAYER, Descriptor

_FOLDER_MODE, _PROGRAM_MODE, _FILE_MODE = 0o755, 0o755, 0o644
# The same levels everywhere: another one would be another digest. A program of 100 MB is compressed in each build, and
# sent in the first one only, so that it is time that counts.
_LEVEL, PROGRAM_LEVEL = 6, 1


class LayerFile(msgspec.Struct, frozen=True):
    name: PurePosixPath
    path: Path
    is_program: bool = False


class Layer(msgspec.Struct, frozen=True):
    blob: FileBlob
    # Of the content before it was compressed.
    diff_id: str


class _Hashing(io.RawIOBase):
    """Hashes what is written through it."""

    def __init__(self, target: IO[bytes] | gzip.GzipFile) -> None:
        self._target = target
        self._hash = hashlib.sha256()
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._hash.update(data)
        written = self._target.write(data)
        self.size += written
        return written

    @property
    def digest(self) -> str:
        return f"sha256:{self._hash.hexdigest()}"


def folder_files(folder: Path, below: str) -> list[LayerFile]:
    """Everything in *folder*, to be found in the image below *below*."""
    return [
        LayerFile(PurePosixPath(below, path.relative_to(folder).as_posix()), path)
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    ]


def write_layer(files: Iterable[LayerFile], target: Path, level: int = _LEVEL) -> Layer:
    """A compressed tar of *files* and the folders they are in, in the order of their names."""
    with target.open("wb") as file:
        compressed = _Hashing(file)
        # Neither a name nor a time in its header.
        with gzip.GzipFile(filename="", mode="wb", compresslevel=level, fileobj=compressed, mtime=0) as zipped:
            plain = _Hashing(zipped)
            _write_tar(sorted(files, key=lambda each: each.name.parts), plain)
    descriptor = Descriptor(media_type=OCI_LAYER, digest=compressed.digest, size=compressed.size)
    return Layer(FileBlob(target, descriptor), plain.digest)


def _write_tar(files: Iterable[LayerFile], target: _Hashing) -> None:
    made: set[PurePosixPath] = set()
    with tarfile.open(mode="w|", fileobj=target, format=tarfile.USTAR_FORMAT) as tar:
        for file in files:
            for folder in _folders_of(file.name):
                if folder not in made:
                    made.add(folder)
                    tar.addfile(_entry(folder, tarfile.DIRTYPE, _FOLDER_MODE))
            entry = _entry(file.name, tarfile.REGTYPE, _PROGRAM_MODE if file.is_program else _FILE_MODE)
            with file.path.open("rb") as content:
                entry.size = file.path.stat().st_size
                tar.addfile(entry, content)


def _folders_of(name: PurePosixPath) -> Iterator[PurePosixPath]:
    return (parent for parent in reversed(name.parents) if parent.name)


def _entry(name: PurePosixPath, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name.as_posix())
    entry.type, entry.mode, entry.mtime = kind, mode, 0
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry
