"""Conversion between versions by the webhook that a definition names."""

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from framework.apiserver.admission import CallFailed
from framework.apiserver.definitions.conversion import about_conversion
from framework.apiserver.objects import Object
from framework.apiserver.spelling import spelled
from framework.errors import ApiError

_TIMEOUT_SECONDS = 30
_VERSIONS = ("v1", "v1beta1")


class ClientCaller(Protocol):
    def call_client(self, client_config: Object, body: bytes, timeout_seconds: int) -> bytes:
        """The body of a good answer to *body* from where *client_config* says; raises CallFailed."""


class ReviewedConversion:
    def __init__(self, caller: ClientCaller, new_uid: Callable[[], str]) -> None:
        self._caller = caller
        self._new_uid = new_uid

    def convert(self, client_config: Any, review_versions: list[str], obj: Object, api_version: str) -> Object:
        version = next((one for one in review_versions if one in _VERSIONS), _VERSIONS[0])
        uid = self._new_uid()
        review = {
            "kind": "ConversionReview",
            "apiVersion": f"apiextensions.k8s.io/{version}",
            "request": {"uid": uid, "desiredAPIVersion": api_version, "objects": [obj]},
        }
        try:
            body = self._caller.call_client(client_config, msgspec.json.encode(review), _TIMEOUT_SECONDS)
            answer = msgspec.json.decode(body)
        except CallFailed as error:
            raise _failed(obj, str(error)) from None
        except msgspec.DecodeError as error:
            raise _failed(obj, f"invalid response: {error}") from None
        return _converted(obj, answer, uid)


def _converted(obj: Object, answer: Any, uid: str) -> Object:
    response = answer.get("response") if isinstance(answer, dict) else None
    if not isinstance(response, dict):
        raise _failed(obj, "no response provided")
    if (other := response.get("uid", "")) != uid:
        raise _failed(obj, f"expected response.uid={spelled(uid)}, got {spelled(other)}")
    result = response.get("result") or {}
    if (status := result.get("status", "")) != "Success":
        raise _failed(obj, result.get("message") or f"response.result.status was '{status}', not 'Success'")
    objects = response.get("convertedObjects") or []
    if len(objects) != 1 or not isinstance(objects[0], dict):
        raise about_conversion(obj, f"returned {len(objects)} objects, expected 1")
    converted: Object = objects[0]
    return converted


def _failed(obj: Object, why: str) -> ApiError:
    return about_conversion(obj, f"failed: {why}")
