"""What a WorkerBundle must be like to be served."""

import re
from collections.abc import Iterator

from apis.cfworker.workerbundle import BundledWorker, WorkerBundle
from apis.core.v1 import Secret
from apis.meta import Key
from controllers.workers.script_rules import InvalidInput, check_script_name
from framework.listers import Lister

_ENV_PREFIX = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)?")


def check(bundle: WorkerBundle, secrets: Lister[Secret]) -> None:
    """Raise InvalidInput."""
    users: dict[str, tuple[str, str]] = {}
    for worker in bundle.spec.workers:
        check_script_name(worker.worker_name)
        if not _ENV_PREFIX.fullmatch(worker.env_prefix):
            message = f"envPrefix {worker.env_prefix!r} of {worker.worker_name} cannot begin a variable"
            raise InvalidInput("InvalidEnvPrefix", message)
        for variable, source in _variables(bundle, worker, secrets):
            # The same key of the same Secret twice is the same value.
            if users.setdefault(variable, source) != source:
                message = f"two workers have the variable {variable}; give one of them another envPrefix"
                raise InvalidInput("DuplicateVariable", message)


def missing_secrets(bundle: WorkerBundle, secrets: Lister[Secret]) -> list[str]:
    names = {each.secret_ref for each in bundle.spec.workers if each.secret_ref}
    return sorted(name for name in names if secrets.get(Key(bundle.metadata.namespace, name)) is None)


def _variables(
    bundle: WorkerBundle, worker: BundledWorker, secrets: Lister[Secret]
) -> Iterator[tuple[str, tuple[str, str]]]:
    secret = secrets.get(Key(bundle.metadata.namespace, worker.secret_ref)) if worker.secret_ref else None
    for key in secret.data if secret else ():
        yield worker.env_prefix + key, (worker.secret_ref, key)
