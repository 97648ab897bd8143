"""From a WorkerVersion to the template of a WorkerDeployment."""

from datetime import datetime

from apis.cfworker.workerdeployment import ScriptTemplate, WorkerDeployment, WorkerDeploymentSpec
from apis.cfworker.workerversion import VersionPhase, WorkerVersion
from apis.meta import Key, ObjectMeta, Request
from controllers.reporting.observation import Observation
from controllers.reporting.status_writer import StatusWriter
from controllers.workers.keys import ACCOUNT, ACCOUNTS, SCRIPTS, UPLOADED_AT, VERSION_APPLIED
from controllers.workers.names import script_object_name
from controllers.workers.script_rules import InvalidInput, ScriptRules, check_account_name, check_script_name
from framework.client import Client
from framework.errors import NotFound
from framework.listers import Lister
from framework.reconcile import Result

SCRIPT_INDEX = "workerversion/script"
_APPLIED = "Applied"


def script_key(version: WorkerVersion) -> str:
    return f"{version.metadata.namespace}/{version.spec.accounts}/{version.spec.scripts}"


class WorkerVersions:
    def __init__(
        self,
        *,
        versions: Lister[WorkerVersion],
        deployments: Lister[WorkerDeployment],
        client: Client,
        status: StatusWriter[WorkerVersion],
        rules: ScriptRules,
    ) -> None:
        self._versions = versions
        self._deployments = deployments
        self._client = client
        self._status = status
        self._rules = rules

    def reconcile(self, request: Request) -> Result:
        version = self._versions.get(request.key)
        if version is None or version.metadata.is_being_deleted:
            return Result.await_change()
        try:
            self._check(version)
        except InvalidInput as why:
            self._report(version, VersionPhase.INVALID, Observation(_APPLIED, "False", why.reason, str(why)))
            return Result.await_change()
        newest = self._newest(version)
        if newest.metadata.uid != version.metadata.uid:
            message = f"{newest.metadata.name} is newer"
            self._report(version, VersionPhase.OUTDATED, Observation(_APPLIED, "False", "Outdated", message))
            return Result.await_change()
        self._apply(version)
        return Result.await_change()

    def _check(self, version: WorkerVersion) -> None:
        check_account_name(version.spec.accounts)
        check_script_name(version.spec.scripts)
        self._rules.check_urls([version.spec.url])

    def _newest(self, version: WorkerVersion) -> WorkerVersion:
        rivals = self._versions.by_index(SCRIPT_INDEX, script_key(version))
        living = [each for each in rivals if not each.metadata.is_being_deleted]
        return max(living, key=_age, default=version)

    def _apply(self, version: WorkerVersion) -> None:
        spec = version.spec
        key = Key(version.metadata.namespace, script_object_name(spec.accounts, spec.scripts))
        found = self._deployments.get(key)
        if found is None:
            if not self._is_there(version):
                return
            self._create(version, key)
        elif found.metadata.labels.get(ACCOUNT, spec.accounts) != spec.accounts:
            message = f"WorkerDeployment {key.name} belongs to account {found.metadata.labels[ACCOUNT]}"
            self._report(version, VersionPhase.INVALID, Observation(_APPLIED, "False", "NameTaken", message))
            return
        elif not _has_said_its_word(version, found):
            self._patch(version, found)
        observation = Observation(_APPLIED, "True", "Applied")
        self._report(version, VersionPhase.APPLIED, observation, worker_deployment=key.name)

    def _is_there(self, version: WorkerVersion) -> bool:
        # Asked of the server: who deletes a version and then its WorkerDeployment does not want it back, and caches may
        # hear of the second first.
        try:
            return self._client.get(WorkerVersion, version.key).metadata.uid == version.metadata.uid
        except NotFound:
            return False

    def _create(self, version: WorkerVersion, key: Key) -> None:
        spec = version.spec
        metadata = ObjectMeta(
            name=key.name,
            namespace=key.namespace,
            labels=_labels(version),
            annotations={VERSION_APPLIED: _mark(version)},
        )
        template = ScriptTemplate(script_name=spec.scripts, script_urls=[spec.url])
        self._client.create(WorkerDeployment(metadata=metadata, spec=WorkerDeploymentSpec(template=template)))

    def _patch(self, version: WorkerVersion, found: WorkerDeployment) -> None:
        template = {"scriptName": version.spec.scripts, "scriptUrls": [version.spec.url], "scriptsUrls": None}
        patch = {
            "metadata": {"labels": _labels(version), "annotations": {VERSION_APPLIED: _mark(version)}},
            "spec": {"template": template, "activeRelease": None},
        }
        metadata = found.metadata
        self._client.merge_patch(
            WorkerDeployment, found.key, patch, resource_version=metadata.resource_version, uid=metadata.uid
        )

    def _report(
        self, version: WorkerVersion, phase: VersionPhase, observation: Observation, *, worker_deployment: str = ""
    ) -> None:
        generation = version.metadata.generation
        self._status.write(
            version, observation, phase=phase, workerDeployment=worker_deployment, observedGeneration=generation
        )


def _labels(version: WorkerVersion) -> dict[str, str]:
    return {ACCOUNTS: version.spec.accounts, SCRIPTS: version.spec.scripts}


def _age(version: WorkerVersion) -> tuple[datetime | None, str]:
    return version.metadata.creation_timestamp, version.metadata.name


def _mark(version: WorkerVersion) -> str:
    return f"{version.metadata.uid}/{version.metadata.generation}"


def _has_said_its_word(version: WorkerVersion, found: WorkerDeployment) -> bool:
    """It was applied already, or an upload came after it."""
    annotations, made = found.metadata.annotations, version.metadata.creation_timestamp
    if annotations.get(VERSION_APPLIED) == _mark(version):
        return True
    try:
        uploaded = datetime.fromisoformat(annotations[UPLOADED_AT])
    except (KeyError, ValueError):
        return False
    return made is not None and uploaded.tzinfo is not None and uploaded > made
