"""`POST serviceaccounts/NAME/token`."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from framework.apiserver import status
from framework.apiserver.auth.service_account_tokens import (
    NODES,
    PODS,
    SECRETS,
    SERVICE_ACCOUNTS,
    BoundTo,
    Reference,
    ServiceAccountTokens,
)
from framework.apiserver.fields import FieldError, invalid_value
from framework.apiserver.objects import GroupKind, GroupResource, Object
from framework.apiserver.reader import ObjectReader
from framework.clock import Clock

_KIND = GroupKind("authentication.k8s.io", "TokenRequest")
_DEFAULT_SECONDS = 3600
_LEAST_SECONDS = 600
_MOST_SECONDS = 1 << 32


class TokenRequests:
    """Answers TokenRequests for service accounts that exist."""

    def __init__(self, *, reader: ObjectReader, clock: Clock, tokens: ServiceAccountTokens) -> None:
        self._reader = reader
        self._clock = clock
        self._tokens = tokens

    def create(
        self, namespace: str, name: str, request: Object, *, admit: Callable[[Object], None] = lambda _: None
    ) -> Object:
        """*request* with a token in its status. *admit* is asked about the defaulted request, and may raise."""
        now = self._clock.now()
        account = self._account(namespace, name, request)
        answer = self._completed(request, account, now)
        spec = answer["spec"]
        if problems := _problems(spec["expirationSeconds"]):
            raise status.invalid(_KIND, "", problems)
        admit(answer)
        bound_to = self._bound_to(account, spec.get("boundObjectRef"))
        seconds = spec["expirationSeconds"]
        token = self._tokens.issue(bound_to, audiences=spec["audiences"], now=now, expiration_seconds=seconds)
        expires = _timestamp(now + timedelta(seconds=seconds))
        return {**answer, "status": {"token": token, "expirationTimestamp": expires}}

    def _account(self, namespace: str, name: str, request: Object) -> Object:
        metadata = request.get("metadata") or {}
        for field, wanted in (("name", name), ("namespace", namespace)):
            if (given := metadata.get(field)) and given != wanted:
                problem = invalid_value(
                    f"metadata.{field}", given, f"must match the service account {field} if specified"
                )
                raise status.invalid(_KIND, name, [problem])
        account = self._reader.get(SERVICE_ACCOUNTS, namespace, name)
        if account is None:
            raise status.not_found(SERVICE_ACCOUNTS, name)
        uid = account["metadata"].get("uid", "")
        if (given := metadata.get("uid")) and given != uid:
            why = f"the UID in the token request ({given}) does not match the UID of the service account ({uid})"
            raise status.conflict(GroupResource(_KIND.group, _KIND.kind), name, why)
        return account

    def _completed(self, request: Object, account: Object, now: datetime) -> Object:
        known = account["metadata"]
        identity = {field: known[field] for field in ("name", "namespace", "uid") if field in known}
        spec = dict(request.get("spec") or {})
        spec["audiences"] = spec.get("audiences") or list(self._tokens.audiences)
        spec.setdefault("expirationSeconds", _DEFAULT_SECONDS)
        spec.setdefault("boundObjectRef", None)
        return {
            "kind": _KIND.kind,
            "apiVersion": f"{_KIND.group}/v1",
            "metadata": {**(request.get("metadata") or {}), **identity, "creationTimestamp": _timestamp(now)},
            "spec": spec,
        }

    def _bound_to(self, account: Object, reference: Any) -> BoundTo:
        metadata = account["metadata"]
        namespace, owner = metadata["namespace"], Reference(metadata["name"], metadata.get("uid", ""))
        kind = (reference or {}).get("kind", "")
        if not reference:
            return BoundTo(namespace, serviceaccount=owner)
        if kind == "Pod" and _is_core(reference):
            pod = self._get(PODS, namespace, reference)
            if pod["spec"].get("serviceAccountName", "") != owner.name:
                raise status.bad_request(
                    f'cannot bind token for serviceaccount "{owner.name}" to pod running with different '
                    "serviceaccount name."
                )
            return BoundTo(namespace, self._node_of(pod), _reference(pod), serviceaccount=owner)
        if kind == "Secret" and _is_core(reference):
            return BoundTo(namespace, secret=_reference(self._get(SECRETS, namespace, reference)), serviceaccount=owner)
        if kind == "Node" and _is_core(reference):
            return BoundTo(namespace, _reference(self._get(NODES, "", reference)), serviceaccount=owner)
        group, _, version = reference.get("apiVersion", "").rpartition("/")
        raise status.bad_request(f"cannot bind token to object of type {group}/{version}, Kind={kind}")

    def _get(self, resource: GroupResource, namespace: str, reference: Object) -> Object:
        name = reference.get("name", "")
        obj = self._reader.get(resource, namespace, name)
        if obj is None:
            raise status.not_found(resource, name)
        if (uid := reference.get("uid")) and uid != obj["metadata"].get("uid"):
            why = (
                f"the UID in the bound object reference ({uid}) does not match the UID in record. "
                "The object might have been deleted and then recreated"
            )
            raise status.conflict(GroupResource("", reference["kind"]), name, why)
        return obj

    def _node_of(self, pod: Object) -> Reference | None:
        name = pod["spec"].get("nodeName")
        if not name:
            return None
        node = self._reader.get(NODES, "", name)
        return Reference(name) if node is None else _reference(node)


def _problems(seconds: int) -> list[FieldError]:
    field = "spec.expirationSeconds"
    if seconds < _LEAST_SECONDS:
        return [invalid_value(field, seconds, "may not specify a duration less than 10 minutes")]
    if seconds > _MOST_SECONDS:
        return [invalid_value(field, seconds, "may not specify a duration larger than 2^32 seconds")]
    return []


def _is_core(reference: Object) -> bool:
    return "/" not in reference.get("apiVersion", "")


def _reference(obj: Object) -> Reference:
    return Reference(obj["metadata"]["name"], obj["metadata"].get("uid", ""))


def _timestamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
