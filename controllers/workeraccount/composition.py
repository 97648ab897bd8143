"""What an account should serve, and the hash that names it."""

from collections.abc import Mapping
from datetime import datetime

import msgspec

from apis.cfworker.builder import Builder, BuilderType
from apis.cfworker.jobbuilder import BuildRow
from apis.cfworker.workeraccount import ExcludedWorker, WorkerAccount
from apis.core.v1 import Secret
from controllers.workeraccount.candidates import Candidates
from controllers.workeraccount.ports import assigned_ports
from controllers.workeraccount.rows import rows_of
from controllers.workers.keys import RETRY
from controllers.workers.names import content_hash, slug
from controllers.workers.script_rules import InvalidInput
from controllers.workers.settings import WorkersSettings
from framework.listers import Lister


class Composition(msgspec.Struct, frozen=True):
    """*hash* is empty if there is nothing to serve."""

    hash: str
    rows: tuple[BuildRow, ...]
    ports: Mapping[str, int]
    excluded: tuple[ExcludedWorker, ...]
    missing_secrets: tuple[str, ...]
    repository: str
    # Another value asks for another try at what has failed.
    rebuild: str


class Composer:
    def __init__(self, *, candidates: Candidates, secrets: Lister[Secret], settings: WorkersSettings) -> None:
        self._candidates = candidates
        self._secrets = secrets
        self._settings = settings

    def compose(self, account: WorkerAccount, now: datetime) -> Composition:
        """Raise InvalidInput."""
        chosen = self._candidates.choose(account, now)
        scripts = [each.script.script_name for each in chosen.candidates]
        ports = assigned_ports(scripts, account.status.ports)
        made = rows_of(chosen.candidates, ports, self._secrets)
        repository = self._repository(account)
        retries = {
            each.release.metadata.name: each.release.metadata.annotations.get(RETRY) for each in chosen.candidates
        }
        asked = {name: value for name, value in retries.items() if value}
        return Composition(
            hash=self._hash(account, made.rows, repository) if made.rows else "",
            rows=made.rows,
            ports=ports,
            excluded=chosen.excluded,
            missing_secrets=made.missing_secrets,
            repository=repository,
            rebuild=content_hash(asked) if asked else "",
        )

    def _repository(self, account: WorkerAccount) -> str:
        given, prefix = account.spec.target_repository, self._settings.image_repository_prefix
        if not given and not prefix:
            raise InvalidInput(
                "NoTargetRepository", "name spec.targetRepository, or start with -image-repository-prefix"
            )
        return given or f"{prefix}/build-{slug(account.metadata.name)}"

    def _hash(self, account: WorkerAccount, rows: tuple[BuildRow, ...], repository: str) -> str:
        builder = effective_builder(account.spec.builder, self._settings)
        return content_hash(
            {
                "rows": msgspec.to_builtins(rows),
                "builder": builder.type,
                "baseImage": builder.base_image,
                "platform": builder.platform,
                "egress": account.spec.egress,
                "repository": repository,
            }
        )


def effective_builder(builder: Builder, settings: WorkersSettings) -> Builder:
    """What is absent is as the installation says."""
    return msgspec.structs.replace(
        builder,
        type=builder.type or BuilderType(settings.builder),
        base_image=builder.base_image or settings.base_image,
    )
