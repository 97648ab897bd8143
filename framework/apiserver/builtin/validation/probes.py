"""Probes and lifecycle hooks of containers."""

from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each, non_negative, port_number_or_name
from framework.apiserver.fields import forbidden_field, invalid_value, required, unsupported
from framework.apiserver.objects import Object

_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_SCHEMES = ("HTTP", "HTTPS")
_SECONDS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")


def probes(path: str, container: Object, grace_seconds: int) -> Errors:
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if probe is None:
            continue
        yield from _probe(f"{path}.{name}", probe, grace_seconds)
        if name == "readinessProbe":
            if "terminationGracePeriodSeconds" in probe:
                seconds = probe["terminationGracePeriodSeconds"]
                detail = "must not be set for readinessProbes"
                yield invalid_value(f"{path}.{name}.terminationGracePeriodSeconds", seconds, detail)
        elif probe.get("successThreshold", 0) != 1:
            yield invalid_value(f"{path}.{name}.successThreshold", probe.get("successThreshold", 0), "must be 1")


def _probe(path: str, probe: Object, grace_seconds: int) -> Errors:
    yield from handler(path, probe, grace_seconds)
    yield from non_negative(probe, path, *_SECONDS)
    seconds = probe.get("terminationGracePeriodSeconds")
    if seconds is not None and seconds <= 0:
        yield invalid_value(f"{path}.terminationGracePeriodSeconds", seconds, "must be greater than 0")


def lifecycle(path: str, hooks: Object, grace_seconds: int) -> Errors:
    for name in ("postStart", "preStop"):
        if name in hooks:
            yield from handler(f"{path}.{name}", hooks[name], grace_seconds)


def handler(path: str, owner: Object, grace_seconds: int) -> Errors:
    """What a probe or a hook does: one thing."""
    given = [name for name in _HANDLERS if name in owner]
    if not given:
        yield required(path, "must specify a handler type")
        return
    yield from _action(f"{path}.{given[0]}", given[0], owner[given[0]], grace_seconds)
    for name in given[1:]:
        yield forbidden_field(f"{path}.{name}", "may not specify more than 1 handler type")


def _action(path: str, name: str, action: Object, grace_seconds: int) -> Errors:
    match name:
        case "exec":
            if not action.get("command"):
                yield required(f"{path}.command")
        case "httpGet":
            yield from _http_get(path, action)
        case "sleep":
            seconds = action.get("seconds", 0)
            if seconds < 0 or seconds > grace_seconds:
                detail = (
                    f"must be non-negative and less than terminationGracePeriodSeconds ({grace_seconds}). "
                    "Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep."
                )
                yield invalid_value(path, seconds, detail)
        case _:
            yield from port_number_or_name(f"{path}.port", action.get("port", 0))


def _http_get(path: str, action: Object) -> Errors:
    if not action.get("path"):
        yield required(f"{path}.path")
    yield from port_number_or_name(f"{path}.port", action.get("port", 0))
    if action.get("scheme") not in _SCHEMES:
        yield unsupported(f"{path}.scheme", action.get("scheme", ""), _SCHEMES)
    for header in action.get("httpHeaders", ()):
        name = header.get("name", "")
        yield from each(f"{path}.httpHeaders", name, names.header_name(name))
