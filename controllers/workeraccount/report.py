"""What an account says of itself."""

from apis.cfworker.jobbuilder import BuildPhase, JobBuilder
from apis.cfworker.workeraccount import ComposedWorker, WorkerAccount, WorkerState
from apis.cfworker.workerbundle import BundledWorker, WorkerBundle
from controllers.reporting.observation import Observation
from controllers.workeraccount.composition import Composition
from controllers.workers.accounts import serving_releases
from controllers.workers.keys import COMPOSITION
from framework.conditions import find_condition, is_true

COMPOSED, BUILT, READY = "Composed", "Built", "Ready"
_AVAILABLE = "Available"


def is_available(bundle: WorkerBundle) -> bool:
    """In the generation that it has now."""
    is_current = bundle.status.observed_generation == bundle.metadata.generation
    return is_current and is_true(bundle.status.conditions, _AVAILABLE)


def composed(composition: Composition) -> Observation:
    if composition.missing_secrets:
        names = ", ".join(composition.missing_secrets)
        return Observation(COMPOSED, "True", "SecretMissing", f"there is no Secret {names}")
    return Observation(COMPOSED, "True", "Composed" if composition.rows else "NoWorkers")


def built(account: WorkerAccount, bundle: WorkerBundle, build: JobBuilder | None) -> Observation:
    if not account.status.composition:
        return Observation(BUILT, "False", "NoWorkers", "there is nothing to build")
    if bundle.metadata.annotations.get(COMPOSITION) == account.status.composition:
        return Observation(BUILT, "True", "Built")
    if build is not None and build.status.phase is BuildPhase.FAILED:
        return Observation(BUILT, "False", "BuildFailed", f"{build.metadata.name}: {build.status.message}")
    return Observation(BUILT, "False", "Building")


def ready(account: WorkerAccount, bundle: WorkerBundle, is_built: Observation) -> Observation:
    if is_built.status != "True":
        return Observation(READY, "False", is_built.reason, is_built.message)
    if not is_available(bundle):
        found = find_condition(bundle.status.conditions, _AVAILABLE)
        return Observation(READY, "False", "BundleUnavailable", found.message if found else "")
    return Observation(READY, "True", "Serving", f"{len(account.status.ports)} workers")


def workers(account: WorkerAccount, bundle: WorkerBundle, composition: Composition) -> list[ComposedWorker]:
    present = {each.worker_name: each for each in bundle.spec.workers}
    before, available = serving_releases(account), is_available(bundle)
    return [
        ComposedWorker(
            script_name=row.name,
            release=row.release,
            # While the bundle rolls out, the pods of before answer.
            serving_release=_serving(present.get(row.name), before.get(row.name, ""), is_settled=available),
            port=row.port,
            state=_state(row.release, present.get(row.name), is_settled=available),
        )
        for row in composition.rows
    ]


def _serving(bundled: BundledWorker | None, before: str, *, is_settled: bool) -> str:
    if not is_settled:
        return before
    return "" if bundled is None else bundled.release_name


def _state(release: str, bundled: BundledWorker | None, *, is_settled: bool) -> WorkerState:
    if bundled is None or bundled.release_name != release:
        return WorkerState.BUILDING
    return WorkerState.SERVING if is_settled else WorkerState.DEPLOYING
