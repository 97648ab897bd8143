"""The second step: whether workerd starts with these scripts, and if not, which of them are at fault."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from controllers.workerbuild.bad_input import BadInput, ScriptError, ScriptErrors
from controllers.workerbuild.capnp import workerd_config
from controllers.workerbuild.context import (
    CONFIG_FILE,
    WORKER_FOLDER,
    BuildContext,
    ContextWorker,
    read_context,
    write_files,
)
from controllers.workerbuild.preflight import Failure, PreflightOptions, preflight
from controllers.workerbuild.resolve import ResolvedScript
from controllers.workers.plan import Egress
from framework.errors import WindlassError

_REASON = "ScriptInvalid"


class CheckInterrupted(WindlassError):
    """All together took too long, each alone did not: a machine that is busy, not a script that is wrong."""


def check(folder: Path, options: PreflightOptions) -> None:
    """Raise BadInput with every script that is at fault."""
    context = read_context(folder)
    together = preflight(folder / WORKER_FOLDER, [worker.name for worker in context.workers], options)
    if together is None:
        return
    errors = ScriptErrors()
    for worker in context.workers:
        failure = _check_alone(folder / WORKER_FOLDER, context, worker, options)
        if failure is not None:
            errors.add(worker.name, ScriptError(_REASON, failure.message))
    errors.check()
    _blame(context.workers, together)


def check_script(script: ResolvedScript, options: PreflightOptions) -> Failure | None:
    """For a script that is in memory: what is wrong with it by itself; None if workerd starts with it."""
    with tempfile.TemporaryDirectory(prefix="preflight-") as name:
        folder = Path(name)
        write_files(folder, script.files)
        return _check_in(folder, script.worker, options)


def _check_alone(
    source: Path, context: BuildContext, worker: ContextWorker, options: PreflightOptions
) -> Failure | None:
    number = context.workers.index(worker)
    with tempfile.TemporaryDirectory(prefix="preflight-") as name:
        folder = Path(name)
        # Beside a configuration of its own: the context may not be written.
        shutil.copytree(source / f"w{number}", folder / f"w{number}")
        return _check_in(folder, worker, options)


def _check_in(folder: Path, worker: ContextWorker, options: PreflightOptions) -> Failure | None:
    # Who it calls is not there; stubs are. And it has no business with the network while it starts.
    alone = BuildContext(version=1, egress=Egress.NONE, workers=[worker])
    (folder / CONFIG_FILE).write_text(workerd_config(alone), encoding="utf-8", newline="\n")
    failure = preflight(folder, [worker.name], options)
    if failure is None:
        return None
    return Failure(failure.message.removeprefix(f"service worker:{worker.name}: "), failure.is_timeout)


def _blame(workers: Sequence[ContextWorker], together: Failure) -> None:
    """Each starts by itself, but not with the others: a binding to an entrypoint that another one does not have."""
    if together.is_timeout:
        raise CheckInterrupted(f"workerd {together.message} with all scripts, but does with each of them")
    errors = ScriptErrors()
    for worker in workers:
        if f'Worker "worker:{worker.name}"' in together.message or f"service worker:{worker.name}:" in together.message:
            errors.add(worker.name, ScriptError(_REASON, together.message))
    errors.check()
    raise BadInput("ConfigurationInvalid", f"workerd: {together.message}")
