"""Everything that may object to a write: the rules of RBAC against escalation, and admission with its webhooks."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from framework.apiserver.admission import AdmissionRequest, Caller
from framework.apiserver.auth import Authorizer, RbacAuthorizer, RoleWrite, escalation_error
from framework.apiserver.builtin.admission import admit
from framework.apiserver.objects import Object
from framework.apiserver.resource import Resource
from framework.apiserver.storage import Storage
from framework.loading import LOADING
from framework.runtime import Runtime

_RBAC = "rbac.authorization.k8s.io"


class AdmissionControl:
    def __init__(
        self,
        storage: Storage,
        authorizer: Authorizer,
        *,
        runtime: Runtime,
        new_uid: Callable[[], str],
        caller: Caller,
        served: Callable[[], tuple[Resource, ...]],
    ) -> None:
        self._storage = storage
        self._authorizer = authorizer
        self._runtime = runtime
        self._new_uid = new_uid
        self._caller = caller
        self._served = served

    @cached_property
    def _admission(self) -> Any:
        # Loaded by the first write, as all that is about writes.
        with LOADING:
            from framework.apiserver.admission.admission import Admission, WebhookTools
            from framework.apiserver.cel import CelCompiler
            from framework.apiserver.patch import json_patch

        tools = WebhookTools(
            caller=self._caller,
            compile_condition=CelCompiler().compile,
            json_patch=json_patch,
            equivalents=self._equivalents,
            new_uid=self._new_uid,
        )
        return Admission(reader=self._storage, runtime=self._runtime, tools=tools)

    def _equivalents(self, resource: Resource) -> list[Resource]:
        return [one for one in self._served() if one.storage == resource.storage and one is not resource]

    def has_webhooks(self) -> bool:
        has_some: bool = self._admission.has_webhooks()
        return has_some

    def mutate(self, request: AdmissionRequest) -> Object | None:
        if request.object is not None and not request.subresource and not request.resource.group:
            admit(request.resource.group_kind, request.object, request.old_object)
        mutated: Object | None = self._admission.mutate(request)
        return mutated

    def validate(self, request: AdmissionRequest) -> None:
        self._refuse_escalation(request)
        self._admission.validate(request)

    def _refuse_escalation(self, request: AdmissionRequest) -> None:
        if request.resource.group != _RBAC or request.object is None:
            return
        if not isinstance(self._authorizer, RbacAuthorizer):
            return
        write = RoleWrite(
            resource=request.resource.group_resource,
            user=request.user,
            namespace=request.namespace,
            name=request.name if request.operation == "UPDATE" else "",
            old=request.old_object,
            new=request.object,
        )
        error = escalation_error(write, self._authorizer)
        if error is not None:
            raise error
