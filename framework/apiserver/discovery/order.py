"""The order in which discovery lists groups and versions; clients take the first for the best."""

import re
from collections.abc import Iterable, Sequence

_VERSION = re.compile(r"v([0-9]+)(?:(alpha|beta)([0-9]+))?")
_STAGES = {None: 0, "beta": 1, "alpha": 2}

_BUILTIN_GROUPS = (
    "",
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "resource.k8s.io",
    "flowcontrol.apiserver.k8s.io",
)
_POSITIONS = {name: position for position, name in enumerate(_BUILTIN_GROUPS)}


def in_order_of_preference(versions: Iterable[str]) -> Sequence[str]:
    """Stable before beta before alpha, newer before older; then names that are no Kubernetes version, by name."""
    return sorted(versions, key=_version_rank)


def groups_in_order(names: Iterable[str]) -> Sequence[str]:
    """The built-in groups in the order of the real server, then the others by name."""
    return sorted(names, key=lambda name: (_POSITIONS.get(name, len(_POSITIONS)), name))


def _version_rank(version: str) -> tuple[int, int, int, int, str]:
    match = _VERSION.fullmatch(version)
    if match is None:
        return 1, 0, 0, 0, version
    return 0, _STAGES[match[2]], -int(match[1]), -int(match[3] or 0), ""
