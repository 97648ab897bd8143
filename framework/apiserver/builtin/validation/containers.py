"""Containers of pods."""

from collections.abc import Sequence

import msgspec

from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each, one_of
from framework.apiserver.builtin.validation.environment import environment, environment_sources
from framework.apiserver.builtin.validation.probes import lifecycle, probes
from framework.apiserver.builtin.validation.resources import requirements
from framework.apiserver.builtin.validation.volumes import relative_path
from framework.apiserver.fields import (
    FieldError,
    FieldProblem,
    duplicate,
    forbidden_field,
    invalid_value,
    required,
    unsupported,
)
from framework.apiserver.objects import Object

_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_RESTART_POLICIES = ("Always", "Never", "OnFailure")
_LARGEST_ID = 2**31 - 1
_NOT_FOR_INIT = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")


class PodContext(msgspec.Struct, frozen=True):
    """What containers need to know of their pod."""

    volumes: set[str]
    grace_seconds: int


def containers(path: str, values: Sequence[Object], pod: PodContext) -> Errors:
    if not values:
        yield required(path)
        return
    seen: set[str] = set()
    for position, container in enumerate(values):
        here = f"{path}[{position}]"
        yield from _common(here, container, pod)
        name = container.get("name", "")
        if name in seen:
            yield duplicate(f"{here}.name", name)
        seen.add(name)
        yield from _life(here, container, pod)
        yield from _restart_policy(here, container)
    yield from _host_port_conflicts(path, values)


def init_containers(path: str, values: Sequence[Object], regular: Sequence[Object], pod: PodContext) -> Errors:
    seen = {one.get("name", "") for one in regular}
    for position, container in enumerate(values):
        here = f"{path}[{position}]"
        yield from _common(here, container, pod)
        yield from _restart_policy(here, container)
        name = container.get("name", "")
        if name in seen:
            yield duplicate(f"{here}.name", name)
        seen.add(name)
        yield from _host_port_conflicts(path, [container])
        if container.get("restartPolicy") == "Always":
            yield from _life(here, container, pod)
        else:
            detail = "may not be set for init containers without restartPolicy=Always"
            yield from (forbidden_field(f"{here}.{field}", detail) for field in _NOT_FOR_INIT if field in container)


def _common(path: str, container: Object, pod: PodContext) -> Errors:
    name = container.get("name", "")
    if not name:
        yield required(f"{path}.name")
    else:
        yield from each(f"{path}.name", name, names.dns_label(name))
    if not container.get("image"):
        yield required(f"{path}.image")
    policy = container.get("terminationMessagePolicy", "")
    yield from one_of(f"{path}.terminationMessagePolicy", policy, _MESSAGE_POLICIES)
    yield from _ports(f"{path}.ports", container.get("ports", ()))
    yield from environment(f"{path}.env", container.get("env", ()))
    yield from environment_sources(f"{path}.envFrom", container.get("envFrom", ()))
    yield from _mounts(f"{path}.volumeMounts", container.get("volumeMounts", ()), pod.volumes)
    yield from one_of(f"{path}.imagePullPolicy", container.get("imagePullPolicy", ""), _PULL_POLICIES)
    yield from requirements(f"{path}.resources", container.get("resources", {}))
    yield from _security(f"{path}.securityContext", container.get("securityContext", {}))


def _life(path: str, container: Object, pod: PodContext) -> Errors:
    if "lifecycle" in container:
        yield from lifecycle(f"{path}.lifecycle", container["lifecycle"], pod.grace_seconds)
    yield from probes(path, container, pod.grace_seconds)


def _restart_policy(path: str, container: Object) -> Errors:
    policy = container.get("restartPolicy")
    if policy is not None and policy not in _RESTART_POLICIES:
        yield unsupported(f"{path}.restartPolicy", policy, _RESTART_POLICIES)
    elif policy is None and container.get("restartPolicyRules"):
        yield required(f"{path}.restartPolicy", "must specify restartPolicy when restart rules are used")


def _ports(path: str, ports: Sequence[Object]) -> Errors:
    seen: set[str] = set()
    for position, port in enumerate(ports):
        here = f"{path}[{position}]"
        if name := port.get("name"):
            problems = names.port_name(name)
            yield from each(f"{here}.name", name, problems)
            if not problems and name in seen:
                yield duplicate(f"{here}.name", name)
            seen.add(name)
        number = port.get("containerPort", 0)
        if not number:
            yield required(f"{here}.containerPort")
        else:
            yield from each(f"{here}.containerPort", number, names.port_number(number))
        if host_port := port.get("hostPort"):
            yield from each(f"{here}.hostPort", host_port, names.port_number(host_port))
        yield from one_of(f"{here}.protocol", port.get("protocol", ""), _PROTOCOLS)


def _host_port_conflicts(path: str, values: Sequence[Object]) -> Errors:
    seen: set[str] = set()
    for position, container in enumerate(values):
        for index, port in enumerate(container.get("ports", ())):
            if not port.get("hostPort"):
                continue
            taken = f"{port.get('protocol', '')}/{port.get('hostIP', '')}/{port['hostPort']}"
            if taken in seen:
                yield duplicate(f"{path}[{position}].ports[{index}].hostPort", taken)
            seen.add(taken)


def _mounts(path: str, mounts: Sequence[Object], volumes: set[str]) -> Errors:
    seen: set[str] = set()
    for position, mount in enumerate(mounts):
        here = f"{path}[{position}]"
        name, target = mount.get("name", ""), mount.get("mountPath", "")
        if not name:
            yield required(f"{here}.name")
        if name not in volumes:
            yield FieldError(FieldProblem.NOT_FOUND, f"{here}.name", name)
        if not target:
            yield required(f"{here}.mountPath")
        if target in seen:
            yield invalid_value(f"{here}.mountPath", target, "must be unique")
        seen.add(target)
        # The server names these two without the position.
        for field in ("subPath", "subPathExpr"):
            if mount.get(field):
                yield from relative_path(f"{path}.{field}", mount[field])


def _security(path: str, context: Object) -> Errors:
    for field in ("runAsUser", "runAsGroup"):
        number = context.get(field, 0)
        if not 0 <= number <= _LARGEST_ID:
            yield invalid_value(f"{path}.{field}", number, names.out_of_range(0, _LARGEST_ID))
    if context.get("allowPrivilegeEscalation") is False:
        if context.get("privileged"):
            detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
            yield invalid_value(path, context, detail)
        if "CAP_SYS_ADMIN" in context.get("capabilities", {}).get("add", ()):
            detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
            yield invalid_value(path, context, detail)
