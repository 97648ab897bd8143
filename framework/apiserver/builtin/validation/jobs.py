"""The spec of Jobs, and of what CronJobs make them from."""

from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each, immutable, non_negative
from framework.apiserver.builtin.validation.pods import pod_template
from framework.apiserver.fields import FieldError, FieldProblem, invalid_value, required, unsupported
from framework.apiserver.objects import Object

_MODES = ("NonIndexed", "Indexed")
_REPLACEMENT = ("Failed", "TerminatingOrFailed")
_MOST_INDEXES = 100_000
_LONGEST_MANAGER = 63
_COUNTS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
# Only the choice of nodes may change, and only while nothing has run.
_SCHEDULING = ("nodeSelector", "tolerations", "schedulingGates", "affinity")


def job_spec(path: str, spec: Object) -> Errors:
    yield from non_negative(spec, path, *_COUNTS)
    if "maxFailedIndexes" in spec and "backoffLimitPerIndex" not in spec:
        yield required(f"{path}.backoffLimitPerIndex", "when maxFailedIndexes is specified")
    yield from _manager(f"{path}.managedBy", spec.get("managedBy"))
    yield from _completion(path, spec)
    yield from _replacement(f"{path}.podReplacementPolicy", spec)
    yield from pod_template(f"{path}.template", spec.get("template", {}))
    yield from _restart_policy(f"{path}.template.spec.restartPolicy", spec)


def _manager(field: str, manager: str | None) -> Errors:
    if manager is None:
        return
    domain, _, rest = manager.partition("/")
    if not manager:
        yield required(field)
    elif not domain or not rest:
        yield invalid_value(field, manager, 'must be a domain-prefixed path (such as "acme.io/foo")')
    else:
        yield from each(field, domain, names.dns_subdomain(domain))
        yield from each(field, rest, names.http_path(rest))
    if len(manager) > _LONGEST_MANAGER:
        yield FieldError(FieldProblem.TOO_LONG, field, detail=f"may not be more than {_LONGEST_MANAGER} bytes")


def _completion(path: str, spec: Object) -> Errors:
    mode = spec.get("completionMode", "NonIndexed")
    if mode not in _MODES:
        yield unsupported(f"{path}.completionMode", mode, _MODES)
    if mode == "Indexed":
        if "completions" not in spec:
            yield required(f"{path}.completions", "when completion mode is Indexed")
        parallelism = spec.get("parallelism", 0)
        if parallelism > _MOST_INDEXES:
            detail = f"must be less than or equal to {_MOST_INDEXES} when completion mode is Indexed"
            yield invalid_value(f"{path}.parallelism", parallelism, detail)
        failed = spec.get("maxFailedIndexes", 0)
        if "completions" in spec and failed > spec["completions"]:
            yield invalid_value(f"{path}.maxFailedIndexes", failed, "must be less than or equal to completions")
    elif mode == "NonIndexed":
        for field in ("backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"):
            if field in spec:
                yield invalid_value(f"{path}.{field}", spec[field], "requires indexed completion mode")


def _replacement(field: str, spec: Object) -> Errors:
    policy = spec.get("podReplacementPolicy")
    if policy is None:
        return
    supported = ("Failed",) if "podFailurePolicy" in spec else _REPLACEMENT
    if policy not in supported:
        yield unsupported(field, policy, supported)


def _restart_policy(field: str, spec: Object) -> Errors:
    policy = spec.get("template", {}).get("spec", {}).get("restartPolicy", "")
    if policy in {"Always", ""}:
        yield required(field, 'valid values: "OnFailure", "Never"')
    elif policy not in {"OnFailure", "Never"}:
        yield unsupported(field, policy, ["OnFailure", "Never"])
    elif "podFailurePolicy" in spec and policy != "Never":
        yield invalid_value(field, policy, 'only "Never" is supported when podFailurePolicy is specified')


def job_update(new: Object, old: Object) -> Errors:
    yield from _completions(new, old)
    yield from immutable("spec.selector", new.get("selector"), old.get("selector"))
    template = new.get("template", {})
    before = _with_new_scheduling(old.get("template", {}), template) if _may_move(old) else old.get("template", {})
    yield from immutable("spec.template", template, before)
    for field in ("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"):
        yield from immutable(f"spec.{field}", new.get(field), old.get(field))


def _completions(new: Object, old: Object) -> Errors:
    after, before = new.get("completions"), old.get("completions")
    if new.get("completionMode") != "Indexed":
        yield from immutable("spec.completions", after, before)
    elif after not in (None, before) and after != new.get("parallelism"):
        yield invalid_value("spec.completions", after, "can only be modified in tandem with spec.parallelism")


def _may_move(old: Object) -> bool:
    return bool(old.get("suspend"))


def _with_new_scheduling(old: Object, new: Object) -> Object:
    def replaced(before: Object, after: Object, fields: tuple[str, ...]) -> Object:
        kept = {field: value for field, value in before.items() if field not in fields}
        return kept | {field: after[field] for field in fields if field in after}

    spec = replaced(old.get("spec", {}), new.get("spec", {}), _SCHEDULING)
    metadata = replaced(old.get("metadata", {}), new.get("metadata", {}), ("labels", "annotations"))
    merged = {**old, "spec": spec}
    if metadata or "metadata" in new:
        merged["metadata"] = metadata
    return merged
