"""pods/eviction: a deletion that respects disruption budgets."""

import msgspec

from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.rest.binding import admit
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.decoding import decode_body
from framework.apiserver.rest.deletion import (
    DeleteOptions,
    Preconditions,
    check_preconditions,
    judge,
    parse_delete_options,
)
from framework.apiserver.rest.disruption import spend_disruption
from framework.apiserver.rest.options import write_options
from framework.apiserver.rest.pod_conditions import set_pod_condition
from framework.apiserver.rest.versions import from_storage, to_storage
from framework.apiserver.status import bad_request, not_found
from framework.apiserver.storage import Record, Stale

_SCHEMA = "io.k8s.api.policy.v1.Eviction"
_VERSIONS = ("policy/v1", "policy/v1beta1")
_PODS = GroupResource("", "pods")
_CONDITION = {
    "type": "DisruptionTarget",
    "status": "True",
    "reason": "EvictionByEvictionAPI",
    "message": "Eviction API: evicting",
}
_ENDED = frozenset({"Succeeded", "Failed"})


def evict(context: Context) -> None:
    """Answer a POST of an Eviction; raises TooManyRequests if a budget does not allow it now."""
    write = write_options(context.query, "CreateOptions")
    eviction = decode_body(context.headers.get("content-type", ""), context.request.body, _SCHEMA)
    if not isinstance(eviction, dict) or eviction.get("apiVersion", _VERSIONS[0]) not in _VERSIONS:
        raise bad_request("the body is not an Eviction of policy/v1")
    eviction = {"apiVersion": _VERSIONS[0], "kind": "Eviction", **eviction}
    if (eviction.get("metadata") or {}).get("name") != context.info.name:
        raise bad_request("name in URL does not match name in Eviction object")
    eviction = admit(context, eviction, write)
    options = parse_delete_options(eviction.get("deleteOptions") or {})
    if write.is_dry_run:
        options = msgspec.structs.replace(options, dry_run=["All"])
    _evict(context, options)


def _evict(context: Context, options: DeleteOptions) -> None:
    record = _record(context)
    pod = from_storage(context.resource, record)
    if not _is_disrupted_already(pod):
        is_free = spend_disruption(context.services, pod, is_dry_run=options.is_dry_run)
        if is_free:
            # An unready pod does not count, as long as nobody makes it ready meanwhile.
            options = _for_version(options, pod)
    while True:
        record = _record(context)
        pod = from_storage(context.resource, record)
        check_preconditions(context, options, pod)
        try:
            _mark_and_delete(context, record, pod, options)
        except Stale:
            continue
        return


def _record(context: Context) -> Record:
    record = context.table.get(context.key)
    if record is None:
        raise not_found(_PODS, context.info.name)
    return record


def _is_disrupted_already(pod: Object) -> bool:
    return pod["status"].get("phase") in {*_ENDED, "Pending"} or "deletionTimestamp" in pod["metadata"]


def _for_version(options: DeleteOptions, pod: Object) -> DeleteOptions:
    wanted = options.preconditions or Preconditions()
    if wanted.resource_version is None:
        wanted = msgspec.structs.replace(wanted, resource_version=pod["metadata"]["resourceVersion"])
    return msgspec.structs.replace(options, preconditions=wanted)


def _mark_and_delete(context: Context, record: Record, pod: Object, options: DeleteOptions) -> None:
    storage, resource, services = context.services.storage, context.resource, context.services
    if options.is_dry_run:
        return
    set_pod_condition(pod, _CONDITION, services.now())
    if pod != from_storage(resource, record):
        record = storage.write(resource.storage, record.key, record, to_storage(resource, pod))
    verdict = judge(resource, options, from_storage(resource, record), services.clock.now())
    if verdict.marked is not None:
        record = storage.write(resource.storage, record.key, record, to_storage(resource, verdict.marked))
    if verdict.is_removed:
        storage.delete(resource.storage, record.key, record)
