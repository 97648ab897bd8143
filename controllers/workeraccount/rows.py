"""The rows of a build plan, from the releases that an account serves."""

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from apis.cfworker.jobbuilder import BuildRow
from apis.cfworker.planrow import PlanBinding, PlanBindingKind
from apis.cfworker.script import Binding, BindingType
from apis.core.v1 import Secret
from apis.meta import Key
from controllers.workeraccount.candidates import Candidate
from controllers.workers.env_prefixes import env_prefixes
from controllers.workers.keys import EXPOSED, TAG
from framework.listers import Lister

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Rows(msgspec.Struct, frozen=True):
    rows: tuple[BuildRow, ...]
    # Names of Secrets that are referred to, and are not there.
    missing_secrets: tuple[str, ...]


def rows_of(candidates: Sequence[Candidate], ports: Mapping[str, int], secrets: Lister[Secret]) -> Rows:
    """In the order of *candidates*. Of Secrets only the names of their keys are looked at."""
    keys: dict[str, list[str]] = {}
    missing: set[str] = set()
    for each in candidates:
        found = _secret_of(each, secrets)
        if each.script.secret_ref and found is None:
            missing.add(each.script.secret_ref)
        keys[each.script.script_name] = sorted(filter(_VARIABLE.fullmatch, found.data if found else ()))
    prefixes = env_prefixes(keys)
    rows = tuple(
        _row(each, ports[each.script.script_name], prefixes[each.script.script_name], keys[each.script.script_name])
        for each in candidates
    )
    return Rows(rows, tuple(sorted(missing)))


def _secret_of(candidate: Candidate, secrets: Lister[Secret]) -> Secret | None:
    name = candidate.script.secret_ref
    return secrets.get(Key(candidate.release.metadata.namespace, name)) if name else None


def _row(candidate: Candidate, port: int, prefix: str, keys: Iterable[str]) -> BuildRow:
    script = candidate.script
    secret = [PlanBinding(name=key, kind=PlanBindingKind.ENV, value=prefix + key) for key in keys]
    names = {each.name for each in secret}
    plain = [_binding(each, candidate) for each in script.bindings if each.name not in names]
    deployment = candidate.deployment
    is_hidden = deployment is not None and deployment.metadata.annotations.get(EXPOSED) == "false"
    return BuildRow(
        name=script.script_name,
        port=port,
        release=candidate.release.metadata.name,
        main_module=script.main_module,
        compatibility_date=script.compatibility_date,
        compatibility_flags=script.compatibility_flags,
        sources=script.script_urls,
        bindings=[*plain, *secret],
        env_prefix=prefix,
        secret_ref=script.secret_ref,
        exposed=not is_hidden,
    )


def _binding(binding: Binding, candidate: Candidate) -> PlanBinding:
    match binding.type:
        case BindingType.PLAIN_TEXT:
            return PlanBinding(name=binding.name, kind=PlanBindingKind.TEXT, value=binding.text)
        case BindingType.JSON:
            return PlanBinding(name=binding.name, kind=PlanBindingKind.JSON, value=binding.json or "null")
        case BindingType.SERVICE:
            return PlanBinding(
                name=binding.name,
                kind=PlanBindingKind.SERVICE,
                service=binding.service,
                entrypoint=binding.entrypoint,
            )
        case BindingType.VERSION_METADATA:
            value = binding.json or _version_metadata(candidate)
            return PlanBinding(name=binding.name, kind=PlanBindingKind.JSON, value=value)


def _version_metadata(candidate: Candidate) -> str:
    metadata = candidate.release.metadata
    made = metadata.creation_timestamp
    content = {
        "id": candidate.script.version_id or metadata.name,
        "tag": metadata.annotations.get(TAG, ""),
        "timestamp": made.isoformat() if made else "",
    }
    return msgspec.json.encode(content).decode()
