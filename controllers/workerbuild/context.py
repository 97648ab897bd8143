"""The build context: what fetch leaves in a folder, and what check and build find there."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from apis.meta import ApiStruct
from controllers.scriptstorage.script import ModuleType
from controllers.workers.plan import Egress, PlanBindingKind
from framework.errors import ConfigurationError

# Below the context, and in the image below /.
WORKER_FOLDER = "worker"
CONFIG_FILE = "config.capnp"
BUILD_FILE = "build.json"
DOCKERFILE = "Dockerfile"


class ContextModule(ApiStruct, frozen=True, kw_only=True):
    """*file* is below the worker folder, and has nothing of the name."""

    name: str
    type: ModuleType
    file: str


class ContextBinding(ApiStruct, frozen=True, kw_only=True):
    name: str
    kind: PlanBindingKind
    value: str = ""
    service: str = ""
    entrypoint: str = ""
    # As of ContextModule.
    file: str = ""


class ContextWorker(ApiStruct, frozen=True, kw_only=True):
    name: str
    port: int
    compatibility_date: str
    compatibility_flags: Sequence[str] = ()
    # The file of a service worker; it has no modules then.
    script_file: str = ""
    # The main module first: that is where workerd looks for it.
    modules: Sequence[ContextModule] = ()
    bindings: Sequence[ContextBinding] = ()


class BuildContext(ApiStruct, frozen=True, kw_only=True):
    version: int
    account: str = ""
    egress: Egress
    workers: Sequence[ContextWorker] = ()

    def encoded(self) -> bytes:
        return msgspec.json.encode(self, order="deterministic") + b"\n"


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """*files* by their names below *folder*, which are ours: `w<i>/m<j>`."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def read_context(folder: Path) -> BuildContext:
    """Raise ConfigurationError if fetch has not been here."""
    path = folder / BUILD_FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=BuildContext)
    except OSError as error:
        raise ConfigurationError(f"-context: {path}: {error.strerror}; -mode=worker-fetch writes it") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigurationError(f"-context: {path}: {error}") from None
