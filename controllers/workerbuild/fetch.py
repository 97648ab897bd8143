"""The first step: from the plan and the storage to a build context."""

import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from controllers.scriptstorage.objects import ScriptObjects
from controllers.scriptstorage.settings import StorageSettings
from controllers.workerbuild.bad_input import BadInput, ScriptError, ScriptErrors
from controllers.workerbuild.capnp import workerd_config
from controllers.workerbuild.context import (
    BUILD_FILE,
    CONFIG_FILE,
    DOCKERFILE,
    WORKER_FOLDER,
    BuildContext,
    write_files,
)
from controllers.workerbuild.dockerfile import dockerfile
from controllers.workerbuild.resolve import ResolvedScript, resolve_script
from controllers.workerbuild.sources import fetch_script
from controllers.workers.plan import PLAN_LIMIT, BuildPlan, PlanRow
from controllers.workers.script_rules import SCRIPT_NAME
from framework.errors import ConfigurationError


def read_plan(path: Path) -> BuildPlan:
    try:
        with path.open("rb") as file:
            text = file.read(PLAN_LIMIT + 1)
    except OSError as error:
        raise ConfigurationError(f"-plan: {path}: {error.strerror}") from None
    if len(text) > PLAN_LIMIT:
        raise BadInput("InvalidPlan", f"the plan has more than {PLAN_LIMIT} bytes")
    try:
        return BuildPlan.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput("InvalidPlan", f"the plan: {error}") from None


def fetch(plan: BuildPlan, destination: Path, base: str, objects: ScriptObjects, settings: StorageSettings) -> None:
    """Fill *destination*, or say of each script that is at fault what is wrong with it."""
    _check_rows(plan.workers)
    errors, scripts = ScriptErrors(), []
    for number, row in enumerate(plan.workers):
        try:
            fetched = fetch_script(row.sources, objects, settings)
            scripts.append(resolve_script(number, row, fetched.modules, fetched.manifest))
        except ScriptError as error:
            errors.add(row.name, error)
    errors.check()
    context = BuildContext(
        version=1, account=plan.account, egress=plan.egress, workers=[script.worker for script in scripts]
    )
    destination.mkdir(parents=True, exist_ok=True)
    write_worker_folder(destination / WORKER_FOLDER, context, scripts)
    (destination / DOCKERFILE).write_text(dockerfile(base))
    # Last: who finds it finds everything.
    (destination / BUILD_FILE).write_bytes(context.encoded())


def write_worker_folder(folder: Path, context: BuildContext, scripts: Sequence[ResolvedScript]) -> None:
    # What another plan left here must not come into the image.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for script in scripts:
        write_files(folder, script.files)
    (folder / CONFIG_FILE).write_text(workerd_config(context), encoding="utf-8", newline="\n")


def _check_rows(rows: Sequence[PlanRow]) -> None:
    if not rows:
        raise BadInput("InvalidPlan", "the plan has no workers")
    errors = ScriptErrors()
    for row in rows:
        if not SCRIPT_NAME.fullmatch(row.name):
            errors.add(row.name, ScriptError("InvalidScriptName", "is not the name of a script"))
    errors.check()
    for reason, what, values in (
        ("DuplicateScript", "script", [row.name for row in rows]),
        ("DuplicatePort", "port", [str(row.port) for row in rows]),
    ):
        value, count = Counter(values).most_common(1)[0]
        if count > 1:
            raise BadInput(reason, f"{what} {value} is there {count} times")
