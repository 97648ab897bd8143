"""A kind in three versions, reviews of it, and a hook that is asked directly."""

from typing import Any

import msgspec
from prometheus_client import CollectorRegistry

from apis.meta import ApiStruct, KubeObject, ObjectMeta, kind
from framework.client import Codecs
from framework.clock import SystemClock
from framework.webhooks.hooks import admission_hook
from framework.webhooks.metrics import WebhookMetrics
from framework.webhooks.options import HookOptions

GROUP = "shop.example.com"


class Part(ApiStruct, frozen=True, kw_only=True):
    name: str
    size: int = 1


class WidgetSpec(ApiStruct, frozen=True, kw_only=True):
    size: int = 1
    colour: str | None = None
    main_part: Part | None = None
    parts: list[Part] = msgspec.field(default_factory=list)
    texts: dict[str, str] = msgspec.field(default_factory=dict)
    numbers: list[int] = msgspec.field(default_factory=list)


@kind(group=GROUP, version="v1", plural="widgets")
class Widget(KubeObject, frozen=True, kw_only=True):
    spec: WidgetSpec = WidgetSpec()


def a_widget(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Widget",
        "metadata": {"name": "w", "namespace": "default", "managedFields": [{"manager": "kubectl"}]},
        "spec": spec,
    }


def a_review(
    new: dict[str, Any] | None, old: dict[str, Any] | None = None, *, operation: str = "CREATE", **fields: Any
) -> dict[str, Any]:
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "42",
            "kind": {"group": GROUP, "version": "v1", "kind": "Widget"},
            "resource": {"group": GROUP, "version": "v1", "resource": "widgets"},
            "name": "w",
            "namespace": "default",
            "operation": operation,
            "userInfo": {"username": "alice", "groups": ["devs"]},
            "dryRun": False,
            "options": {"kind": "CreateOptions"},
            "object": new,
            "oldObject": old,
            **fields,
        },
    }


class Asked:
    """A hook of widgets, asked without a server."""

    def __init__(self, what: Any, handler: Any, of: Any = Widget, **options: Any) -> None:
        self.registry = CollectorRegistry()
        self._metrics = WebhookMetrics(self.registry, SystemClock())
        self.hook = admission_hook(what, Codecs().of(of), handler, HookOptions(**options))

    def answer(self, review: dict[str, Any]) -> dict[str, Any]:
        document = msgspec.json.decode(self.hook.answer(msgspec.json.encode(review), self._metrics))
        assert (document["apiVersion"], document["kind"]) == ("admission.k8s.io/v1", "AdmissionReview")
        response: dict[str, Any] = document["response"]
        assert response["uid"] == "42"
        return response


def named(name: str) -> ObjectMeta:
    return ObjectMeta(name=name, namespace="default")
