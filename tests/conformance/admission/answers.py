"""What the webhook of these cases answers, by the path at which it is called."""

import base64
import json
from collections.abc import Callable
from typing import Any

from tests.unit.framework.apiserver.admission.webhook_server import Reply, allowed, denied

CODES = (400, 401, 403, 404, 405, 409, 418, 422, 429, 500, 503, 504)


def review(response: Any, version: str = "admission.k8s.io/v1", kind: str = "AdmissionReview") -> Reply:
    document = {"apiVersion": version, "kind": kind, "response": response}
    return Reply(200, "application/json", json.dumps(document).encode())


def plain(body: bytes, status: int = 200, content_type: str = "application/json") -> Reply:
    return Reply(status, content_type, body)


def patched(asked: Any, operations: Any, **more: Any) -> dict[str, Any]:
    encoded = base64.b64encode(json.dumps(operations).encode()).decode()
    return allowed(asked, patch=encoded, **{"patchType": "JSONPatch", **more})


def adding(name: str) -> Callable[[Any], Any]:
    """Notes that it was here in the data of a ConfigMap."""
    return lambda asked: patched(asked, [{"op": "add", "path": f"/data/{name}", "value": "was here"}])


Case = Callable[[Any], "dict[str, Any] | Reply"]


def _refusing(code: int) -> Case:
    return lambda _: plain(b"text of it\n", code, "text/plain")


# Both for mutating and for validating webhooks.
COMMON: dict[str, Case] = {
    "allow": allowed,
    "deny": lambda asked: denied(asked, message="no no"),
    "deny-silently": denied,
    "deny-with-reason": lambda asked: denied(asked, reason="Teapot", code=418),
    "deny-with-details": lambda asked: denied(
        asked,
        message="m",
        code=422,
        reason="Invalid",
        details={"name": "d", "kind": "k", "causes": [{"reason": "r", "message": "m", "field": "f"}]},
    ),
    "deny-with-success": lambda asked: denied(asked, message="m", code=200, status="Success"),
    "warn": lambda asked: allowed(asked, warnings=["careful"]),
    "status": lambda _: plain(b'{"kind":"Status","apiVersion":"v1","status":"Failure","message":"inner"}', 500),
    "json-500": lambda _: plain(b"{}", 500),
    "redirect": lambda _: plain(b"", 302, "text/plain"),
    "empty": lambda _: plain(b""),
    "empty-object": lambda _: plain(b"{}"),
    "html": lambda asked: Reply(200, "text/html", review(allowed(asked)).body),
    "no-response": lambda _: plain(b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}'),
    "other-uid": lambda _: review({"uid": "x", "allowed": True}),
    "other-kind": lambda asked: review(allowed(asked), "v1", "Pod"),
    "unknown-kind": lambda asked: review(allowed(asked), "foo/v1", "Bar"),
    "other-version": lambda asked: review(allowed(asked), "admission.k8s.io/v1beta1"),
    **{f"code-{code}": _refusing(code) for code in CODES},
}
VALIDATING: dict[str, Case] = {
    **COMMON,
    "patch": lambda asked: patched(asked, [{"op": "add", "path": "/data/x", "value": "y"}]),
    "patch-type": lambda asked: allowed(asked, patchType="JSONPatch"),
}
MUTATING: dict[str, Case] = {
    **COMMON,
    "patch": adding("patch"),
    "empty-patch": lambda asked: patched(asked, []),
    "patch-without-type": lambda asked: patched(asked, [], patchType=None),
    "type-without-patch": lambda asked: allowed(asked, patchType="JSONPatch"),
    "other-type": lambda asked: patched(asked, [{"op": "add", "path": "/data/x", "value": "y"}], patchType="Foo"),
}


def answer(path: str, asked: Any) -> dict[str, Any] | Reply:
    kind, _, name = path.strip("/").partition("/")
    cases = {"validating": VALIDATING, "mutating": MUTATING}.get(kind, {})
    if kind == "adding":
        return dict(adding(name)(asked))
    return cases[name](asked)
