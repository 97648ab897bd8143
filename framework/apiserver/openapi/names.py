"""What schemas and operations are called."""

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from framework.apiserver.builtin import definitions

_KINDS = "x-kubernetes-group-version-kind"
_WORD = re.compile(r"[A-Za-z0-9]+")


class OperationWords(NamedTuple):
    """`comExample_v1` and `ComExampleV1`."""

    tag: str
    title: str


def schema_name(group: str, version: str, kind: str) -> str:
    """Built-in kinds are called after their Go types, others after their group read backwards."""
    known = _builtin_names().get((group, version, kind))
    return known or f"{'.'.join(reversed(group.split('.')))}.{version}.{kind}"


def operation_words(group: str, version: str) -> OperationWords:
    # Kubernetes' own groups drop their domain: rbac.authorization.k8s.io is RbacAuthorization.
    words = _WORD.findall(group.removesuffix(".k8s.io") or "core")
    title = "".join(word[0].upper() + word[1:] for word in words)
    return OperationWords(f"{title[0].lower()}{title[1:]}_{version}", f"{title}{version[0].upper()}{version[1:]}")


@cache
def _builtin_names() -> Mapping[tuple[str, str, str], str]:
    return {
        (one["group"], one["version"], one["kind"]): name
        for name, schema in definitions().items()
        for one in schema.get(_KINDS, ())
    }
