"""The steps of a build, run in this process as the binary runs them."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from controllers.flags import FLAGS, MODES
from controllers.options import parse_flags
from controllers.workerbuild.modes import run_worker_step
from controllers.workers.plan import BuildPlan, Egress, PlanRow
from tests.integration.workers_build.storage import ALLOWED_BUCKET, BUCKET, REGION, Storage

DATE = "2024-01-01"


class Ended(msgspec.Struct, frozen=True):
    code: int
    stderr: str
    termination: dict[str, Any]


class Steps:
    """A folder with a plan and a context, and the steps on it."""

    def __init__(self, folder: Path, storage: Storage, workerd: Path | None = None) -> None:
        self.folder, self._storage, self._workerd = folder, storage, workerd
        self.context = folder / "context"
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def config(self) -> str:
        return (self.context / "worker" / "config.capnp").read_text()

    def fetch(self, *rows: PlanRow, egress: Egress = Egress.PUBLIC, base: str = "scratch") -> Ended:
        plan = BuildPlan(version=1, account="acme", target_image="unused", egress=egress, workers=rows)
        return self.fetch_plan(plan.encoded(), base=base)

    def fetch_plan(self, plan: bytes, base: str = "scratch") -> Ended:
        path = self.folder / "plan.json"
        path.write_bytes(plan)
        return self._run(
            "worker-fetch",
            f"-plan={path}",
            f"-destination={self.context}",
            f"-s3-endpoint={self._storage.url}",
            f"-s3-region={REGION}",
            f"-s3-bucket={BUCKET}",
            f"-allowed-buckets={ALLOWED_BUCKET}",
            f"-base={base}",
        )

    def check(self, *flags: str) -> Ended:
        return self._run("worker-check", f"-context={self.context}", f"-workerd={self._workerd}", *flags)

    def build(self, target: str, *flags: str) -> Ended:
        return self._run("worker-build", f"-context={self.context}", f"-target={target}", *flags)

    def _run(self, mode: str, *flags: str) -> Ended:
        log, stderr = self.folder / "termination-log", io.StringIO()
        log.write_bytes(b"")
        options = parse_flags(FLAGS, tuple(MODES), [f"-mode={mode}", f"-termination-log={log}", *flags], {})
        code = run_worker_step(options, stderr)
        return Ended(code, stderr.getvalue(), msgspec.json.decode(log.read_bytes()))


def row(name: str, port: int = 8080, *, sources: Sequence[str] = (), **fields: Any) -> PlanRow:
    fields.setdefault("compatibility_date", DATE)
    return PlanRow(name=name, port=port, sources=list(sources) or [f"s3://{BUCKET}/{name}"], **fields)
