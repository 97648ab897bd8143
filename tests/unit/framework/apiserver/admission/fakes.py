"""Resources without rules of their own, and a server's admission around a webhook that the test decides."""

import base64
import json
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, cast

import msgspec

from framework.apiserver.admission import AdmissionRequest, CallFailed
from framework.apiserver.admission.admission import Admission, WebhookTools
from framework.apiserver.admission.asking import WebhookCaller
from framework.apiserver.admission.match_conditions import Compile, Program
from framework.apiserver.admission.webhook import Webhook
from framework.apiserver.cel.errors import CelError
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.patch import json_patch
from framework.apiserver.resource import ReadyRules, Resource, Strategy
from framework.runtime import ThreadRuntime
from tests.unit.framework.apiserver.auth.fakes import ALICE, FakeReader


class Defaults:
    """All that admission asks of a strategy."""

    def default(self, obj: Object) -> None:
        obj["defaulted"] = True


def a_resource(
    kind: str = "ConfigMap", *, group: str = "", version: str = "v1", is_namespaced: bool = True
) -> Resource:
    plural = f"{kind.lower()}s"
    unused: Any = None
    return Resource(
        group=group,
        version=version,
        kind=kind,
        plural=plural,
        singular=kind.lower(),
        list_kind=f"{kind}List",
        is_namespaced=is_namespaced,
        rules=ReadyRules(cast("Strategy", Defaults()), unused, unused),
        storage=GroupResource(group, plural),
        storage_api_version=f"{group}/{version}" if group else version,
        convert=lambda obj, api_version: {**obj, "apiVersion": api_version},
    )


CONFIG_MAPS = a_resource()
OLD_WIDGETS = a_resource("Widget", group="example.com", version="v1")
NEW_WIDGETS = a_resource("Widget", group="example.com", version="v2")
NAMESPACE: Object = {"kind": "Namespace", "metadata": {"name": "ns", "labels": {"team": "blue"}}}


def a_request(resource: Resource = CONFIG_MAPS, **changes: Any) -> AdmissionRequest:
    name = changes.get("name", "x")
    obj = {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": {"name": name}}
    request = AdmissionRequest(
        operation="CREATE",
        resource=resource,
        namespace="ns" if resource.is_namespaced else "",
        name="x",
        object=obj,
        user=ALICE,
        options={"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
    )
    return msgspec.structs.replace(request, **changes)


class FakeCaller:
    """Answers by the webhook's name: the response of a review, or what it raises. Everybody else is allowed."""

    def __init__(self, **answers: Any) -> None:
        self._answers = answers
        self.asked: list[tuple[str, Any]] = []

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.asked]

    def call(self, webhook: Webhook, body: bytes) -> bytes:
        review = json.loads(body)
        name = webhook.name.partition(".")[0]
        self.asked.append((name, review))
        answer = self._answers.get(name, {"allowed": True})
        if isinstance(answer, CallFailed):
            raise answer
        if callable(answer):
            answer = answer(review)
        response = {"uid": review["request"]["uid"], **answer}
        return json.dumps({**review, "request": None, "response": response}).encode()


def patch(*operations: Object) -> Object:
    encoded = base64.b64encode(json.dumps(operations).encode()).decode()
    return {"allowed": True, "patchType": "JSONPatch", "patch": encoded}


def sets(field: str, value: Any) -> Object:
    return {"op": "add", "path": f"/{field}", "value": value}


def a_webhook(name: str, **fields: Any) -> Object:
    return {
        "name": f"{name}.example.com",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://127.0.0.1:1"},
        "rules": [a_rule()],
        **fields,
    }


def a_rule(**fields: Any) -> Object:
    return {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], **fields}


def mutating(*webhooks: Object, name: str = "c") -> Object:
    return {"kind": "MutatingWebhookConfiguration", "metadata": {"name": name}, "webhooks": list(webhooks)}


def validating(*webhooks: Object, name: str = "c") -> Object:
    return {"kind": "ValidatingWebhookConfiguration", "metadata": {"name": name}, "webhooks": list(webhooks)}


class FakeProgram:
    """`true`, `false`, or an error that the expression spells."""

    def __init__(self, text: str) -> None:
        self._text = text

    def evaluate(self, values: Mapping[str, Any], /) -> Any:
        if self._text in {"true", "false"}:
            return self._text == "true"
        if self._text == "named x":
            return values["request"]["name"] == "x" and values["object"]["metadata"]["name"] == "x"
        raise CelError(self._text)


def _compile(text: str, _variables: Mapping[str, None]) -> Program:
    return FakeProgram(text)


def _equivalents(resource: Resource) -> Sequence[Resource]:
    both = (OLD_WIDGETS, NEW_WIDGETS)
    return [each for each in both if each is not resource] if resource in both else ()


def an_admission(reader: FakeReader, caller: WebhookCaller, compile_condition: Compile = _compile) -> Admission:
    numbers = count()
    tools = WebhookTools(caller, compile_condition, json_patch, _equivalents, lambda: f"uid-{next(numbers)}")
    return Admission(reader=reader, runtime=ThreadRuntime(), tools=tools)


def admission_with(caller: WebhookCaller, *configurations: Object) -> Admission:
    return an_admission(FakeReader(NAMESPACE, *configurations), caller)
