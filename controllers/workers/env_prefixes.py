"""What the variables of each script in a pod begin with, so that no two scripts share one."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping


def env_prefix(script: str) -> str:
    """`wasm-worker` becomes `WASM_WORKER_`."""
    return script.upper().replace("-", "_") + "_"


def env_prefixes(keys: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """For each script, by the names of its secrets; who would share a variable with another gets one of its own."""
    users: dict[str, set[str]] = defaultdict(set)
    for script, names in keys.items():
        for name in names:
            users[env_prefix(script) + name].add(script)
    clashing = {script for sharing in users.values() if len(sharing) > 1 for script in sharing}
    return {script: _own_prefix(script) if script in clashing else env_prefix(script) for script in keys}


def _own_prefix(script: str) -> str:
    return f"{env_prefix(script)}{hashlib.sha256(script.encode()).hexdigest()[:6].upper()}_"
