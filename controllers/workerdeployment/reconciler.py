"""From a WorkerDeployment to its releases."""

from collections.abc import Sequence

import msgspec

from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import ReleasePhase, WorkerRelease
from apis.meta import Request
from controllers.reporting.observation import Observation
from controllers.reporting.status_writer import StatusWriter
from controllers.workerdeployment.releases import NameTaken, Releases, StillLeaving, named
from controllers.workerdeployment.standing import Standings, progress
from controllers.workers.release_scripts import script_of_template
from controllers.workers.revisions import revision_of
from controllers.workers.script_rules import InvalidInput, NormalScript, ScriptRules
from framework.clock import Clock
from framework.listers import Lister
from framework.reconcile import Result

_DEFAULT_HISTORY_LIMIT = 10
_VALID = Observation("Valid", "True", "Valid")


class _Choice(msgspec.Struct, frozen=True):
    active: WorkerRelease | None
    # Set where what was asked for is not there.
    missing: Observation | None = None


class WorkerDeployments:
    def __init__(
        self,
        *,
        deployments: Lister[WorkerDeployment],
        releases: Releases,
        standings: Standings,
        status: StatusWriter[WorkerDeployment],
        rules: ScriptRules,
        clock: Clock,
    ) -> None:
        self._deployments = deployments
        self._releases = releases
        self._standings = standings
        self._status = status
        self._rules = rules
        self._clock = clock

    def reconcile(self, request: Request) -> Result:
        deployment = self._deployments.get(request.key)
        if deployment is None or deployment.metadata.is_being_deleted:
            return Result.await_change()
        script, valid = self._script(deployment)
        try:
            latest = self._latest(deployment, script)
        except StillLeaving:
            return Result.await_change()
        except NameTaken:
            # The status is part of the name: its change brings us back.
            self._status.write(deployment, collisionCount=deployment.status.collision_count + 1)
            return Result.await_change()
        self._settle(deployment, latest, valid)
        return Result.await_change()

    def _script(self, deployment: WorkerDeployment) -> tuple[NormalScript | None, Observation]:
        try:
            return script_of_template(deployment.spec.template, self._rules, self._clock.now()), _VALID
        except InvalidInput as why:
            return None, Observation("Valid", "False", why.reason, str(why))

    def _latest(self, deployment: WorkerDeployment, script: NormalScript | None) -> WorkerRelease | None:
        if script is None:
            return None
        if deployment.spec.paused:
            return self._releases.find(deployment, script)
        return self._releases.ensure(deployment, script)

    def _settle(self, deployment: WorkerDeployment, latest: WorkerRelease | None, valid: Observation) -> None:
        releases = self._releases.of(deployment)
        choice = _choose(deployment, releases, latest)
        active = choice.active
        standing = self._standings.of(deployment, active)
        latest_name = latest.metadata.name if latest else deployment.status.latest_release
        deployment = self._status.write(
            deployment,
            valid,
            choice.missing or progress(active, standing),
            standing.available,
            latestRelease=latest_name,
            activeRelease=active.metadata.name if active else "",
            servingRelease=standing.serving,
            revision=revision_of(active) if active else 0,
            observedGeneration=deployment.metadata.generation,
        )
        # After the status: accounts look there for what they compose.
        kept = {latest_name, deployment.status.active_release, *standing.in_use}
        self._releases.prune(deployment, kept, _history_limit(deployment))


def _choose(deployment: WorkerDeployment, releases: Sequence[WorkerRelease], latest: WorkerRelease | None) -> _Choice:
    previous = named(releases, deployment.status.active_release) if deployment.status.active_release else None
    pinned = deployment.spec.active_release
    if not pinned:
        return _Choice(latest or previous)
    found = named([each for each in releases if each.status.phase is not ReleasePhase.INVALID], pinned)
    if found is not None:
        return _Choice(found)
    message = f"no release of this WorkerDeployment is called {pinned!r} or has that versionId"
    return _Choice(previous, Observation("Progressing", "False", "ReleaseNotFound", message))


def _history_limit(deployment: WorkerDeployment) -> int:
    spec = deployment.spec
    limits = (spec.release_history_limit, spec.template.release_history_limit, _DEFAULT_HISTORY_LIMIT)
    return next(limit for limit in limits if limit is not None)
