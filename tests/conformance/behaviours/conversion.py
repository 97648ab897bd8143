"""A conversion webhook: `host` and `port` of v1 are `hostPort` in v2."""

import json
from typing import Any

from tests.unit.framework.apiserver.admission.webhook_server import Reply


def converted(path: str, request: Any) -> Reply:
    if path == "refuse-to-convert":
        return _reply({"uid": request["uid"], "result": {"status": "Failure", "message": "not today"}})
    objects = [_convert(obj, request["desiredAPIVersion"]) for obj in request["objects"]]
    return _reply({"uid": request["uid"], "result": {"status": "Success"}, "convertedObjects": objects})


def _convert(obj: Any, api_version: str) -> Any:
    out = {**obj, "apiVersion": api_version}
    if api_version.endswith("/v2") and "host" in out:
        out["hostPort"] = f"{out.pop('host')}:{out.pop('port')}"
    if api_version.endswith("/v1") and "hostPort" in out:
        out["host"], _, out["port"] = out.pop("hostPort").partition(":")
    return out


def _reply(response: Any) -> Reply:
    document = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "response": response}
    return Reply(200, "application/json", json.dumps(document).encode())
