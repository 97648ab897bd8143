"""What a JobBuilder builds: its rows, or those that its pairs of names and URLs stand for."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

import msgspec

from apis.cfworker.jobbuilder import BuildRow, JobBuilder
from apis.cfworker.planrow import PlanBinding, PlanBindingKind
from apis.cfworker.workerbundle import BundledWorker, WorkerBundle
from apis.core.v1 import Secret
from apis.meta import Key
from controllers.workers.accounts import account_name
from controllers.workers.images import parsed
from controllers.workers.plan import PLAN_LIMIT, BuildPlan, PlanRow
from controllers.workers.script_rules import InvalidInput, check_script_name
from controllers.workers.settings import WorkersSettings
from framework.listers import Lister

_FIRST_PORT = 8080
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class BuildInput(msgspec.Struct, frozen=True):
    plan: BuildPlan
    text: str


class BuildInputs:
    def __init__(self, *, secrets: Lister[Secret], settings: WorkersSettings) -> None:
        self._secrets = secrets
        self._settings = settings

    def read(self, job_builder: JobBuilder, bundle: WorkerBundle | None, now: datetime) -> BuildInput:
        """Raise InvalidInput."""
        spec = job_builder.spec
        if parsed(spec.target_image, self._settings.default_registry) is None:
            raise InvalidInput("InvalidImage", f"targetImage {spec.target_image!r} is no reference to an image")
        rows = list(self._rows(job_builder, bundle, now))
        names = Counter(row.name for row in rows)
        if twice := sorted(name for name, times in names.items() if times > 1):
            raise InvalidInput("DuplicateScript", f"script {twice[0]!r} is named twice")
        for row in rows:
            check_script_name(row.name)
            self._settings.script_rules.check_urls(row.sources)
        plan = BuildPlan(
            version=1,
            account=account_name(job_builder),
            target_image=spec.target_image,
            egress=spec.egress,
            workers=[msgspec.convert(msgspec.to_builtins(row), PlanRow) for row in rows],
        )
        text = plan.encoded()
        if len(text) > PLAN_LIMIT:
            raise InvalidInput("PlanTooLarge", f"the plan has {len(text)} bytes; {PLAN_LIMIT} fit")
        return BuildInput(plan, text.decode())

    def _rows(self, job_builder: JobBuilder, bundle: WorkerBundle | None, now: datetime) -> Iterator[BuildRow]:
        if job_builder.spec.workers:
            yield from job_builder.spec.workers
            return
        date = self._settings.script_rules.compatibility_date("", now.date())
        present = {each.worker_name: each for each in bundle.spec.workers} if bundle else {}
        for worker, url in zip(bundled_workers(job_builder, bundle), job_builder.spec.script_urls, strict=True):
            bindings = self._variables(job_builder, present.get(worker.worker_name))
            yield BuildRow(
                name=worker.worker_name,
                port=worker.worker_number,
                compatibility_date=date,
                sources=[url],
                bindings=bindings,
            )

    def _variables(self, job_builder: JobBuilder, worker: BundledWorker | None) -> list[PlanBinding]:
        if worker is None or not worker.secret_ref:
            return []
        secret = self._secrets.get(Key(job_builder.metadata.namespace, worker.secret_ref))
        keys = sorted(filter(_VARIABLE.fullmatch, secret.data if secret else ()))
        return [PlanBinding(name=key, kind=PlanBindingKind.ENV, value=worker.env_prefix + key) for key in keys]


def bundled_workers(job_builder: JobBuilder, bundle: WorkerBundle | None) -> list[BundledWorker]:
    """What the bundle has when the build is applied."""
    if job_builder.spec.workers:
        return [
            BundledWorker(
                worker_name=row.name,
                worker_number=row.port,
                env_prefix=row.env_prefix,
                secret_ref=row.secret_ref,
                release_name=row.release,
                exposed=row.exposed,
            )
            for row in job_builder.spec.workers
        ]
    present = {each.worker_name: each for each in bundle.spec.workers} if bundle else {}
    blank = BundledWorker(worker_name="none", worker_number=_FIRST_PORT)
    return [
        BundledWorker(
            worker_name=name,
            worker_number=_FIRST_PORT + index,
            env_prefix=present.get(name, blank).env_prefix,
            secret_ref=present.get(name, blank).secret_ref,
        )
        for index, name in enumerate(job_builder.spec.script_names)
    ]
