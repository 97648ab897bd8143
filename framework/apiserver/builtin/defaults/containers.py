"""Defaults of containers and of what stands in them."""

import re

from framework.apiserver.objects import Object

# Repository, tag and digest as image references have them; what does not fit has no tag that counts.
_IMAGE = re.compile(r"(?:[A-Za-z0-9.-]+(?::\d+)?/)?[a-z0-9]+[a-z0-9._/-]*(?::([\w][\w.-]{0,127}))?(@[\w+.:-]+)?")


def default_container(container: Object) -> None:
    container.setdefault("imagePullPolicy", pull_policy_of(container.get("image", "")))
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")


def pull_policy_of(image: str) -> str:
    """What is tagged `latest`, or not at all, may change at any time."""
    match = _IMAGE.fullmatch(image)
    if match is None:
        return "IfNotPresent"
    tag, digest = match[1], match[2]
    return "Always" if tag == "latest" or not (tag or digest) else "IfNotPresent"


def default_probe(probe: Object) -> None:
    probe.setdefault("timeoutSeconds", 1)
    probe.setdefault("periodSeconds", 10)
    probe.setdefault("successThreshold", 1)
    probe.setdefault("failureThreshold", 3)


def default_http_get(action: Object) -> None:
    action.setdefault("path", "/")
    action.setdefault("scheme", "HTTP")


def default_grpc(action: Object) -> None:
    action.setdefault("service", "")


def default_field_selector(selector: Object) -> None:
    selector.setdefault("apiVersion", "v1")


def default_resource_field_selector(selector: Object) -> None:
    selector.setdefault("divisor", "0")


CONTAINER_DEFAULTS = {
    "core.v1.Container": default_container,
    "core.v1.EphemeralContainer": default_container,
    "core.v1.Probe": default_probe,
    "core.v1.HTTPGetAction": default_http_get,
    "core.v1.GRPCAction": default_grpc,
    "core.v1.ObjectFieldSelector": default_field_selector,
    "core.v1.ResourceFieldSelector": default_resource_field_selector,
}
