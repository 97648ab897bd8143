"""Makes a folder on a file server for each SharedFolder, and removes it before the object goes away."""

import os
import shutil
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from apis.meta import ApiStruct, KubeObject, kind
from framework.client import connect, find_credentials
from framework.controller import Primary
from framework.finalizers import Finalizer, with_finalizer
from framework.manager import Manager, stop_on_signals
from framework.reconcile import Result


class SharedFolderSpec(ApiStruct, frozen=True, kw_only=True):
    greeting: Annotated[str, Meta(max_length=1000)] = ""


class SharedFolderStatus(ApiStruct, frozen=True, kw_only=True):
    path: str = ""


@kind(group="example.dev", version="v1", plural="sharedfolders", status=True)
class SharedFolder(KubeObject, frozen=True, kw_only=True):
    spec: SharedFolderSpec = SharedFolderSpec()
    status: SharedFolderStatus = SharedFolderStatus()


class SharedFolders:
    def __init__(self, manager: Manager, root: Path) -> None:
        self.client = manager.client_for("sharedfolder")
        self.root = root

    def path_of(self, folder: SharedFolder) -> Path:
        # By uid: an object of the same name that is created again gets a folder of its own.
        return self.root / folder.metadata.uid

    def apply(self, folder: SharedFolder) -> Result:
        path, wanted = self.path_of(folder), folder.spec.greeting
        path.mkdir(exist_ok=True)
        (path / "README").write_text(wanted)
        if folder.status.path != str(path):
            self.client.patch_status(folder, {"path": str(path)})
        return Result.await_change()

    def cleanup(self, folder: SharedFolder) -> None:
        path = self.path_of(folder)
        if path.exists():
            shutil.rmtree(path)


def register(manager: Manager, root: Path) -> None:
    folders, informer = SharedFolders(manager, root), manager.informer(SharedFolder)
    finalizer = Finalizer(folders.client, SharedFolder, "example.dev/shared-folder")
    reconciler = with_finalizer(finalizer, informer.lister, apply=folders.apply, cleanup=folders.cleanup)
    manager.add_controller("sharedfolder", reconciler, [Primary(informer)])


if __name__ == "__main__":
    manager = Manager(connect(find_credentials(environment=os.environ, home=Path.home())))
    register(manager, Path(os.environ["SHARED_FOLDERS"]))
    manager.run(stop_on_signals())
