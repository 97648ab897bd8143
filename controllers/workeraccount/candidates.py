"""Which release of each script an account serves."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from apis.cfworker.field import WORKERS_LIMIT
from apis.cfworker.workeraccount import ExcludedWorker, WorkerAccount
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import ReleasePhase, WorkerRelease
from apis.meta import Key
from controllers.workers.belonging import belongs
from controllers.workers.release_scripts import scripts_of_release
from controllers.workers.revisions import revision_of
from controllers.workers.script_rules import InvalidInput, NormalScript, ScriptRules
from framework.listers import Lister

_BEGINNING = datetime.fromtimestamp(0, UTC)
# Who comes first: releases of a WorkerDeployment, releases of nobody, entries of an account.
_CONTROLLED, _FREE, _ENTRY = 3, 2, 1


class Candidate(msgspec.Struct, frozen=True):
    script: NormalScript
    release: WorkerRelease
    deployment: WorkerDeployment | None
    rank: int

    @property
    def order(self) -> tuple[int, datetime, str]:
        metadata = self.release.metadata
        return self.rank, metadata.creation_timestamp or _BEGINNING, metadata.name

    @property
    def has_failed(self) -> bool:
        failed = {each.script_name for each in self.release.status.failed_scripts}
        return self.release.status.phase is ReleasePhase.FAILED or self.script.script_name in failed

    def excluded(self, reason: str) -> ExcludedWorker:
        return ExcludedWorker(script_name=self.script.script_name, release=self.release.metadata.name, reason=reason)


class Chosen(msgspec.Struct, frozen=True):
    """By script name, in its order."""

    candidates: tuple[Candidate, ...]
    excluded: tuple[ExcludedWorker, ...]


class Candidates:
    def __init__(
        self, *, releases: Lister[WorkerRelease], deployments: Lister[WorkerDeployment], rules: ScriptRules
    ) -> None:
        self._releases = releases
        self._deployments = deployments
        self._rules = rules

    def choose(self, account: WorkerAccount, now: datetime) -> Chosen:
        everything, excluded = self._all(account, now)
        eligible: dict[str, list[Candidate]] = defaultdict(list)
        for each in everything:
            if each.deployment is None or each.deployment.status.active_release == each.release.metadata.name:
                eligible[each.script.script_name].append(each)
        chosen: dict[str, Candidate] = {}
        for name, rivals in eligible.items():
            best = max(rivals, key=lambda each: each.order)
            if best.has_failed:
                excluded.append(best.excluded("ReleaseFailed"))
            stand_in = _last_good(best, everything) if best.has_failed else best
            if stand_in is not None:
                chosen[name] = stand_in
        kept = _within_limit(chosen, account.status.ports)
        excluded += [chosen[name].excluded("TooManyWorkers") for name in sorted(chosen.keys() - set(kept))]
        ordered = sorted(excluded, key=lambda each: (each.script_name, each.release))
        return Chosen(tuple(chosen[name] for name in sorted(kept)), tuple(ordered))

    def _all(self, account: WorkerAccount, now: datetime) -> tuple[list[Candidate], list[ExcludedWorker]]:
        found: list[Candidate] = []
        excluded: list[ExcludedWorker] = []
        for release in self._releases.list(account.metadata.namespace):
            if release.metadata.is_being_deleted or not belongs(release, account):
                continue
            try:
                found += self._of_release(release, now)
            except InvalidInput as why:
                name = release.metadata.name
                excluded.append(
                    ExcludedWorker(script_name=release.spec.script_name or "", release=name, reason=why.reason)
                )
        return found, excluded

    def _of_release(self, release: WorkerRelease, now: datetime) -> Iterable[Candidate]:
        scripts = scripts_of_release(release.spec, self._rules, now)
        if release.spec.script_name is None:
            return [Candidate(script, release, None, _ENTRY) for script in scripts]
        owner = release.metadata.controller_owner
        # A release of the other group that this one mirrors decides no more than a person who wrote it.
        if owner is None or owner.kind == WorkerRelease.__name__:
            return [Candidate(scripts[0], release, None, _FREE)]
        deployment = self._deployments.get(Key(release.metadata.namespace, owner.name))
        is_there = deployment is not None and deployment.metadata.uid == owner.uid
        if deployment is None or not is_there or deployment.metadata.is_being_deleted:
            return []
        return [Candidate(scripts[0], release, deployment, _CONTROLLED)]


def _last_good(failed: Candidate, everything: Iterable[Candidate]) -> Candidate | None:
    """The newest earlier release of the same WorkerDeployment that has served."""
    if failed.deployment is None:
        return None
    earlier = [
        each
        for each in everything
        if each.deployment is not None
        and each.deployment.metadata.uid == failed.deployment.metadata.uid
        and each.script.script_name == failed.script.script_name
        and revision_of(each.release) < revision_of(failed.release)
        and each.release.status.image
        and not each.has_failed
    ]
    return max(earlier, key=lambda each: revision_of(each.release), default=None)


def _within_limit(names: Iterable[str], ports: Mapping[str, int]) -> Sequence[str]:
    """Who is there already stays."""
    return sorted(names, key=lambda name: (name not in ports, name))[:WORKERS_LIMIT]
