"""Removes the code of a release from the bucket."""

from collections.abc import Callable, Iterator
from typing import Protocol

import structlog

from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from apis.meta import KubeObject
from controllers.reporting.recorder import Recorder
from controllers.scriptstorage.url import InvalidScriptUrl, ScriptUrl, parse_script_url
from controllers.workers.keys import ACCOUNT, ACCOUNTS
from controllers.workers.patience import Patience
from framework.client import Client
from framework.clock import Clock
from framework.errors import NotFound, WindlassError
from framework.listers import Lister

_log = structlog.get_logger("windlass.workerrelease")


class ScriptObjects(Protocol):
    """What is needed of a bucket."""

    @property
    def bucket(self) -> str: ...

    def delete_prefix(self, prefix: str) -> int:
        """Delete everything below *prefix*, which ends with `/`."""


class ObjectRemoval:
    def __init__(
        self,
        *,
        storage: Callable[[], ScriptObjects],
        releases: Lister[WorkerRelease],
        deployments: Lister[WorkerDeployment],
        client: Client,
        recorder: Recorder,
        clock: Clock,
    ) -> None:
        self._storage = storage
        self._client = client
        self._releases = releases
        self._deployments = deployments
        self._recorder = recorder
        self._patience = Patience(clock)

    def remove(self, release: WorkerRelease) -> bool:
        """Whether the release may go; raise to be asked again."""
        try:
            self._remove(release)
        except WindlassError as error:
            if self._patience.seconds_left(release.metadata.uid):
                raise
            note = f"the code of {release.metadata.name} stays in the bucket: {error}"
            _log.warning("script_objects_left", release=str(release.key))
            self._recorder.record(release, "Warning", "ScriptObjectsLeft", note, action="Delete")
        self._patience.end(release.metadata.uid)
        return True

    def _remove(self, release: WorkerRelease) -> None:
        if not release.spec.script_urls:
            return
        storage = self._storage()
        for url in _urls(release.spec.script_urls, storage.bucket):
            is_ours = url.bucket == storage.bucket and _is_its_own(release, url)
            if is_ours and not self._is_used_by_others(release, url):
                storage.delete_prefix(url.prefix)

    def _is_used_by_others(self, release: WorkerRelease, url: ScriptUrl) -> bool:
        return any(url in _urls(urls, url.bucket) and self._is_there(other) for other, urls in self._others(release))

    def _others(self, release: WorkerRelease) -> Iterator[tuple[KubeObject, list[str]]]:
        namespace = release.metadata.namespace
        for other in self._releases.list(namespace):
            if other.metadata.uid != release.metadata.uid:
                yield other, other.spec.script_urls
        for deployment in self._deployments.list(namespace):
            template = deployment.spec.template
            yield deployment, template.script_urls or template.scripts_urls

    def _is_there(self, other: KubeObject) -> bool:
        """By what the server says: a cache may not have heard that it went together with the release."""
        try:
            live = self._client.get(type(other), other.key)
        except NotFound:
            return False
        return live.metadata.uid == other.metadata.uid and not live.metadata.is_being_deleted


def _urls(texts: list[str], bucket: str) -> Iterator[ScriptUrl]:
    for text in texts:
        try:
            yield parse_script_url(text, bucket)
        except InvalidScriptUrl:
            continue


def _is_its_own(release: WorkerRelease, url: ScriptUrl) -> bool:
    """Below the account and the script: whoever writes a release must not empty the folder of another."""
    labels = release.metadata.labels
    account = labels.get(ACCOUNT) or labels.get(ACCOUNTS)
    return bool(account) and url.key.startswith(f"{account}/{release.spec.script_name}/")
