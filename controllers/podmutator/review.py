"""Reads an AdmissionReview: of a large pod only what the mutator looks at, since most of it is nothing to it."""

from typing import Any, TypedDict

import msgspec


# Whatever has a type here is a part of the way to what counts; a value of any type is judged by who uses it.
class _Container(TypedDict, total=False):
    resources: Any
    restartPolicy: Any


class _Spec(TypedDict, total=False):
    runtimeClassName: Any
    containers: list[_Container] | None
    initContainers: list[_Container] | None
    resources: Any


class _Pod(TypedDict, total=False):
    # The whole of it: whether it is empty matters.
    metadata: Any
    spec: _Spec | None


class _Request(TypedDict, total=False):
    uid: Any
    kind: Any
    operation: Any
    object: _Pod | None


class _Review(TypedDict, total=False):
    apiVersion: Any
    kind: Any
    request: _Request | None


_decoder = msgspec.json.Decoder(_Review)


def decode_review(body: bytes) -> Any:
    """Plain JSON values, for `PodMutator.handle`; raises msgspec.DecodeError."""
    try:
        return _decoder.decode(body)
    except msgspec.ValidationError:
        # Something is not where it should be: the mutator has the words for that.
        return msgspec.json.decode(body)
