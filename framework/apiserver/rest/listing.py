"""GET of one object or of a list, at the version that was asked for."""

from collections.abc import Iterable
from itertools import islice

import msgspec

from apis.meta import Key
from framework.apiserver.fields import FieldError, forbidden_field, unsupported
from framework.apiserver.objects import GroupKind
from framework.apiserver.rest.context import Context, Services
from framework.apiserver.rest.continuation import LATEST, decode_continue, encode_continue
from framework.apiserver.rest.go_numbers import NotNumericError, uint64
from framework.apiserver.rest.request_info import Query
from framework.apiserver.rest.selection import Selection, parse_selectors, selection_of
from framework.apiserver.status import (
    ContinueExpired,
    bad_request,
    expired,
    failure,
    invalid,
    not_found,
    timeout,
)
from framework.apiserver.storage import Record, WindowExceeded
from framework.errors import ApiError, BadRequest, StatusCause

_FRESHNESS_SECONDS, _RETRY_SECONDS = 3.0, 1
# More than there can be; one more than that is still a number for the machine.
_LARGEST_LIMIT = 2**31
_TOO_OLD = "The resourceVersion for the provided list is too old."
_CONTINUE_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list."
)


class Page(msgspec.Struct, frozen=True):
    """The records of one answer and what its metadata say."""

    records: list[Record]
    revision: int
    continue_token: str = ""
    remaining: int | None = None


def get(context: Context) -> Record:
    wait_until_fresh(context.services, parse_own_version(context.query.get("resourceVersion")))
    record = context.table.get(context.key)
    if record is None:
        raise not_found(context.resource.group_resource, context.info.name)
    return record


def list_page(context: Context, default_limit: int = 0) -> Page:
    query = context.query
    check_list_options(context)
    selection = selection_of(context)
    limit = _limit(query) or default_limit
    if token := query.get("continue"):
        return _next_page(context, selection, limit, token)
    version, match = parse_version(query.get("resourceVersion")), query.get("resourceVersionMatch")
    # Pages are of one version, unless there can be only one object.
    if version and (match == "Exact" or (not match and limit and not selection.name)):
        return _page_at(context, selection, limit, version, None)
    wait_until_fresh(context.services, version)
    # Whatever version comes from the cache of the real server, and whole.
    return _page_now(context, selection, 0 if query.get("resourceVersion") == "0" else limit, None)


def check_list_options(context: Context) -> None:
    query = context.query
    match, version = query.get("resourceVersionMatch"), query.get("resourceVersion")
    errors: list[FieldError] = []
    if match:
        errors = _match_errors(match, version, has_token=bool(query.get("continue")))
    if query.all("sendInitialEvents"):
        errors.append(forbidden_field("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    if errors:
        parse_selectors(context)
        raise invalid(GroupKind("meta.k8s.io", "ListOptions"), "", errors)


def _match_errors(match: str, version: str, *, has_token: bool) -> list[FieldError]:
    field = "resourceVersionMatch"
    errors = []
    if not version:
        errors.append(forbidden_field(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"))
    if has_token:
        errors.append(forbidden_field(field, "resourceVersionMatch is forbidden when continue is provided"))
    if match not in {"Exact", "NotOlderThan"}:
        errors.append(unsupported(field, match, ["Exact", "NotOlderThan", ""]))
    if match == "Exact" and version == "0":
        errors.append(forbidden_field(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
    return errors


def parse_version(text: str) -> int:
    """A resourceVersion as a number; 0 if there is none."""
    if not text:
        return 0
    try:
        return uint64(text)
    except NotNumericError as error:
        why = f'Invalid value: "{text}": {error}'
        raise bad_request(f"invalid resource version: resourceVersion: {why}") from None


def parse_own_version(text: str) -> int:
    """As `parse_version`, for everything but lists: only those say that it is the client's fault."""
    try:
        return parse_version(text)
    except BadRequest as error:
        raise failure(error.status.message.removeprefix("invalid resource version: ")) from None


def wait_until_fresh(services: Services, version: int) -> None:
    """Wait for *version* as long as the real server does; then say that it is from the future."""
    if version > services.storage.revision and not services.storage.wait_for(version, _FRESHNESS_SECONDS):
        raise too_large_version(version, services.storage.revision)


def too_large_version(version: int, current: int) -> ApiError:
    cause = StatusCause("ResourceVersionTooLarge", "Too large resource version")
    message = f"Timeout: Too large resource version: {version}, current: {current}"
    return timeout(message, causes=[cause], retry_after_seconds=_RETRY_SECONDS)


def _limit(query: Query) -> int:
    # Read, and of no use for a list that does not take long.
    query.int64("timeoutSeconds")
    return min(max(0, query.int64("limit") or 0), _LARGEST_LIMIT)


def _next_page(context: Context, selection: Selection, limit: int, token: str) -> Page:
    if context.query.get("resourceVersion") not in {"", "0"}:
        raise bad_request("specifying resource version is not allowed when using continue")
    is_namespaced = context.resource.is_namespaced
    revision, last = decode_continue(token, context.namespace, is_namespaced=is_namespaced)
    if revision == LATEST:
        return _page_now(context, selection, limit, last)
    return _page_at(context, selection, limit, revision, last)


def _page_now(context: Context, selection: Selection, limit: int, last: Key | None) -> Page:
    storage = context.services.storage
    with storage.lock:
        revision = storage.revision
        records: Iterable[Record]
        if selection.name:
            records = _by_name(context, selection)
        elif limit and not selection.has_selectors:
            records = list(islice(context.table.records(selection.namespace, last), limit + 1))
        else:
            records = list(context.table.records(selection.namespace, last))
        total = context.table.count(selection.namespace, last)
    return _page(context, selection, limit, revision, records, total=total)


def _by_name(context: Context, selection: Selection) -> list[Record]:
    if selection.namespace or not context.resource.is_namespaced:
        record = context.table.get(Key(selection.namespace, selection.name))
        return [] if record is None else [record]
    return [record for record in context.table.records() if record.key.name == selection.name]


def _page_at(context: Context, selection: Selection, limit: int, revision: int, last: Key | None) -> Page:
    storage = context.services.storage
    wait_until_fresh(context.services, revision)
    with storage.lock:
        try:
            snapshot = context.table.records_at(revision)
        except WindowExceeded:
            raise _gone(context, last) from None
    keys = sorted(key for key in snapshot if last is None or key > last)
    records = [snapshot[key] for key in keys if selection.matches_key(snapshot[key])]
    return _page(context, selection, limit, revision, records, total=len(records))


def _gone(context: Context, last: Key | None) -> ApiError:
    if last is None:
        return expired(_TOO_OLD)
    token = encode_continue(LATEST, last, is_namespaced_list=_is_within_namespace(context))
    return ContinueExpired(_CONTINUE_TOO_OLD, token)


def _page(
    context: Context, selection: Selection, limit: int, revision: int, records: Iterable[Record], *, total: int
) -> Page:
    if not limit:
        return Page(list(filter(selection.matches, records)), revision)
    rest = iter(records)
    found = list(islice(filter(selection.matches, rest), limit))
    # Whether what is left matches is for the next page to find out.
    if len(found) < limit or next(rest, None) is None:
        return Page(found, revision)
    token = encode_continue(revision, found[-1].key, is_namespaced_list=_is_within_namespace(context))
    return Page(found, revision, token, None if selection.has_selectors else total - limit)


def _is_within_namespace(context: Context) -> bool:
    return bool(context.namespace) or not context.resource.is_namespaced
