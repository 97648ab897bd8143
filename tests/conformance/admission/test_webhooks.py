"""One webhook, called by the real server and by ours: the same calls, and the same words about what it answers."""

import base64
import json
import re
import uuid
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from framework.apiserver.admission.admission import Admission
from framework.apiserver.admission.caller import CurlCaller
from framework.apiserver.auth import UserInfo
from framework.apiserver.cel import CelCompiler
from framework.apiserver.status import status_document
from framework.clock import SystemClock
from framework.errors import ApiError
from framework.runtime import ThreadRuntime
from framework.testing.control_plane import ControlPlane
from tests.conformance.admission.answers import MUTATING, VALIDATING, answer
from tests.conformance.api import Api, Reply
from tests.conformance.auth.cluster import wait_until
from tests.unit.framework.apiserver.admission.fakes import a_request, an_admission
from tests.unit.framework.apiserver.admission.webhook_server import WebhookServer
from tests.unit.framework.apiserver.auth.fakes import FakeReader

CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1"
ADMIN = UserInfo("admin", "admin", ("system:masters", "system:authenticated"))
RULES = [{"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}]
CONDITIONS = {
    "c-true": ["object.metadata.name == 'x'", "request.operation == 'CREATE' && oldObject == null"],
    "c-false": ["object.data.given == '2'"],
    "c-error": ["object.data.missing == 'y'"],
    "c-error-and-false": ["object.missing == 'y'", "false"],
    "c-user": ["request.userInfo.username == 'admin' && 'system:masters' in request.userInfo.groups"],
    "c-kind": ["request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps' && request.dryRun"],
}
# Nobody listens there.
NOWHERE = "https://127.0.0.1:1"
_REVIEW_UID = re.compile(r'expected response.uid=\\\"[^"]*\"')


class Both:
    """The real server and ours, with the same webhook configurations for one namespace."""

    def __init__(self, api: Api, server: WebhookServer) -> None:
        self.server = server
        self._api = api
        self.namespace = f"admission-{uuid.uuid4().hex[:8]}"
        self._reader = FakeReader({"kind": "Namespace", "metadata": {"name": self.namespace}})
        self._cel = CelCompiler()
        self._configurations: list[str] = []
        self._caller = CurlCaller(
            clock=SystemClock(), runtime=ThreadRuntime(), resolve_service=lambda _namespace, _name, _port: None
        )

    @property
    def admission(self) -> Admission:
        return an_admission(self._reader, self._caller, self._cel.compile)

    def start(self) -> None:
        self._api.create("/api/v1/namespaces", {"metadata": {"name": self.namespace}})

    def configure(self, kind: str, name: str, *webhooks: Any) -> None:
        selector = {"matchLabels": {"kubernetes.io/metadata.name": self.namespace}}
        configuration = {
            "kind": kind,
            "apiVersion": "admissionregistration.k8s.io/v1",
            "metadata": {"name": f"{name}-{self.namespace}"},
            "webhooks": [{**webhook, "namespaceSelector": selector} for webhook in webhooks],
        }
        path = f"{CONFIGURATIONS}/{kind.lower()}s"
        reply = self._api.create(path, configuration)
        assert reply.status == 201, reply.body
        self._configurations.append(f"{path}/{name}-{self.namespace}")
        labels = {"labels": {"kubernetes.io/metadata.name": self.namespace}}
        self._reader.put({"kind": "Namespace", "metadata": {"name": self.namespace, **labels}})
        self._reader.put({**reply.document, "kind": kind})

    def webhook(self, path: str, name: str, **fields: Any) -> Any:
        url = fields.pop("url", f"{self.server.url}/{path}")
        return {
            "name": f"{name}.example.com",
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "clientConfig": {"url": url, "caBundle": base64.b64encode(self.server.ca).decode()},
            "rules": RULES,
            "objectSelector": {"matchLabels": {"case": name}},
            **fields,
        }

    def create(self, case: str) -> Reply:
        body = {"metadata": {"name": "x", "labels": {"case": case}}, "data": {"given": "1"}}
        return self._api.create(f"/api/v1/namespaces/{self.namespace}/configmaps", body, query={"dryRun": "All"})

    def ours(self, case: str) -> Any:
        """The outcome of our own admission, as a document."""
        metadata = {"name": "x", "namespace": self.namespace, "labels": {"case": case}}
        obj = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata, "data": {"given": "1"}}
        request = a_request(object=obj, namespace=self.namespace, user=ADMIN, dry_run=True)
        try:
            mutated = self.admission.mutate(request)
            self.admission.validate(a_request(object=mutated, namespace=self.namespace, user=ADMIN, dry_run=True))
        except ApiError as error:
            return status_document(error)
        return mutated

    def stop(self) -> None:
        for path in self._configurations:
            self._api.delete(path)
        self._api.delete(f"/api/v1/namespaces/{self.namespace}")
        self._caller.close()


@pytest.fixture(scope="module")
def both(control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    headers = {"Authorization": f"Bearer {control_plane.token}"}
    api = Api("real", control_plane.url, ca_file=control_plane.ca_file, headers=headers)
    with WebhookServer(tmp_path_factory.mktemp("webhook"), answer) as server:
        pair = Both(api, server)
        pair.start()
        _configure(pair)
        yield pair
        pair.stop()
    api.close()


def _configure(both: Both) -> None:
    unknown = {"clientConfig": {"service": {"namespace": "nowhere", "name": "nobody", "path": "/p"}}}
    both.configure(
        "ValidatingWebhookConfiguration",
        "answers",
        *(both.webhook(f"validating/{name}", f"v-{name}") for name in VALIDATING),
        *(
            both.webhook("validating/deny", name, matchConditions=_conditions(texts))
            for name, texts in CONDITIONS.items()
        ),
        both.webhook("x", "refused", url=f"{NOWHERE}/x", timeoutSeconds=5),
        both.webhook("x", "ignored", url=f"{NOWHERE}/x", failurePolicy="Ignore"),
        both.webhook("x", "no-service", **unknown),
        both.webhook("validating/allow", "untrusted", clientConfig={"url": f"{both.server.url}/validating/allow"}),
    )
    both.configure(
        "MutatingWebhookConfiguration",
        "m-answers",
        *(both.webhook(f"mutating/{name}", f"m-{name}") for name in MUTATING),
    )
    order = {"objectSelector": {"matchLabels": {"case": "order"}}}
    again = {**order, "reinvocationPolicy": "IfNeeded"}
    both.configure("MutatingWebhookConfiguration", "b", both.webhook("adding/third", "third", **order))
    both.configure(
        "MutatingWebhookConfiguration",
        "a",
        both.webhook("adding/first", "first", **again),
        both.webhook("adding/second", "second", **order),
    )
    for case in ("order", "m-deny", "v-deny"):
        wait_until(partial(_is_seen, both, case))


def _conditions(texts: list[str]) -> list[dict[str, str]]:
    return [{"name": f"number-{number}", "expression": text} for number, text in enumerate(texts)]


def _is_seen(both: Both, case: str) -> bool:
    reply = both.create(case)
    return reply.status == 400 or len(reply.document.get("data", {})) == 4


@pytest.mark.parametrize(
    "case", [*(f"v-{name}" for name in VALIDATING), *(f"m-{name}" for name in MUTATING), *CONDITIONS]
)
def test_an_answer_of_a_webhook_has_the_same_outcome(both: Both, case: str) -> None:
    real, ours = both.create(case), both.ours(case)

    if real.status == 201:
        assert ours["data"] == real.document["data"]
    else:
        assert _masked(ours) == _masked(real.document)


@pytest.mark.parametrize("case", ["refused", "ignored", "no-service", "untrusted"])
def test_a_webhook_that_cannot_be_reached_has_the_same_outcome(both: Both, case: str) -> None:
    real, ours = both.create(case), both.ours(case)

    assert real.status == (201 if case == "ignored" else 500)
    if real.status != 201:
        assert ours == real.document


def test_warnings_reach_the_user(both: Both) -> None:
    assert both.create("v-warn").warnings == ('299 - "careful"',)


def test_webhooks_are_called_in_the_same_order_and_once_more_where_they_want(both: Both) -> None:
    paths = []
    for act in (both.create, both.ours):
        before = len(both.server.reviews)
        act("order")
        paths.append(both.server.paths[before:])

    assert paths[0] == paths[1] == ["/adding/first", "/adding/second", "/adding/third", "/adding/first"]


def test_the_review_says_the_same(both: Both) -> None:
    reviews = []
    for act in (both.create, both.ours):
        act("v-allow")
        reviews.append(both.server.reviews[-1][1])

    for review in reviews:
        for field in ("uid", "options"):
            review["request"].pop(field)
        for field in ("uid", "creationTimestamp", "managedFields", "namespace"):
            review["request"]["object"]["metadata"].pop(field, None)
        review["request"]["object"].pop("defaulted", None)
    assert reviews[0] == reviews[1]


def _masked(document: Any) -> Any:
    # The uid of a review is new each time, and stands in some messages.
    return json.loads(_REVIEW_UID.sub("UID", json.dumps(document)))
