"""A webhook for the cases, and its configurations."""

import base64
from collections.abc import Callable
from typing import Any

from tests.conformance.api import Api, Reply
from tests.conformance.behaviours.waiting import eventually
from tests.unit.framework.apiserver.admission.webhook_server import WebhookServer

CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1"
_CONFIG_MAPS = {"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}
# Every namespace of a real cluster gets a ConfigMap, at a moment that no case can tell.
_NOT_OF_THE_CLUSTER = {"name": "ours", "expression": "request.name != 'kube-root-ca.crt'"}


class Webhooks:
    """Configurations for one server that all lead to the same webhook; the path says what it answers."""

    def __init__(self, api: Api, server: WebhookServer) -> None:
        self._api = api
        self._made: list[str] = []
        self.server = server

    def configure(self, kind: str, name: str, namespace: str, path: str, **fields: Any) -> None:
        """*kind* is Mutating or Validating; only requests in *namespace* are sent."""
        self.configure_all(kind, name, namespace, [(name, path, fields)])

    def configure_all(self, kind: str, name: str, namespace: str, hooks: list[tuple[str, str, Any]]) -> None:
        collection = f"{CONFIGURATIONS}/{kind.lower()}webhookconfigurations"
        unique = f"{name}-{namespace}"
        configuration = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": f"{kind}WebhookConfiguration",
            "metadata": {"name": unique},
            "webhooks": [self._webhook(hook, namespace, path, fields) for hook, path, fields in hooks],
        }
        self._made.append(f"{collection}/{unique}")
        reply = self._api.create(collection, configuration)
        assert reply.status == 201, reply.body

    def _webhook(self, name: str, namespace: str, path: str, fields: Any) -> Any:
        return {
            "name": f"{name}.example.com",
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "clientConfig": self.client_config(path),
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "rules": [_CONFIG_MAPS],
            "matchConditions": [_NOT_OF_THE_CLUSTER],
            **fields,
        }

    def client_config(self, path: str) -> Any:
        ca = base64.b64encode(self.server.ca).decode()
        return {"url": f"{self.server.url}/{path}", "caBundle": ca}

    def until_called(self, act: Callable[[], Reply], count: int = 1) -> Reply:
        """Act until the server has seen the configurations: it calls the webhook *count* times."""

        def attempt() -> tuple[int, Reply]:
            before = len(self.server.reviews)
            reply = act()
            return len(self.server.reviews) - before, reply

        return eventually(attempt, lambda seen: seen[0] >= count)[1]

    def remove(self) -> None:
        for path in self._made:
            self._api.delete(path)
