"""The status of an alias: that of its canonical object, in the generations of the alias."""

from typing import Any

import msgspec

from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from apis.meta import Condition

Mirrored = WorkerAccount | WorkerBundle | WorkerDeployment | WorkerRelease
CONDITION = "Mirrored"
_CONDITIONS, _GENERATION = "conditions", "observedGeneration"


def mirrored_fields(alias: Mirrored, canonical: Mirrored | None) -> dict[str, Any]:
    """All but the conditions, by their JSON names; None for one that *alias* has and should not have."""
    fields: dict[str, Any] = dict.fromkeys(msgspec.to_builtins(alias.status))
    if canonical is None:
        fields[_GENERATION] = alias.metadata.generation
    else:
        fields |= msgspec.to_builtins(canonical.status)
        fields[_GENERATION] = _generation(alias, canonical, canonical.status.observed_generation)
    return {name: value for name, value in fields.items() if name != _CONDITIONS}


def mirrored_conditions(alias: Mirrored, canonical: Mirrored | None) -> list[Condition]:
    """Those of *canonical*, and what *alias* itself says of being mirrored."""
    own = [each for each in alias.status.conditions if each.type == CONDITION]
    if canonical is None:
        return own
    copied = [each for each in canonical.status.conditions if each.type != CONDITION]
    return own + [
        msgspec.structs.replace(each, observed_generation=_generation(alias, canonical, each.observed_generation))
        for each in copied
    ]


def _generation(alias: Mirrored, canonical: Mirrored, observed: int) -> int:
    """Of the alias: its last if the canonical object, which has what it says, was seen as it is; else one before."""
    is_seen = observed >= canonical.metadata.generation
    return alias.metadata.generation if is_seen else alias.metadata.generation - 1
