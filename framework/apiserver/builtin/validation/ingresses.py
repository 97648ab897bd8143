"""Ingresses."""

import ipaddress
from collections.abc import Sequence

from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each
from framework.apiserver.fields import invalid_value, required, unsupported
from framework.apiserver.objects import Object

_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")
_BAD_SEQUENCES = ("//", "/./", "/../", "%2f", "%2F")
_BAD_ENDINGS = ("/..", "/.")


def ingress_spec(path: str, spec: Object) -> Errors:
    rules = spec.get("rules", ())
    if not rules and "defaultBackend" not in spec:
        yield invalid_value(path, None, "either `defaultBackend` or `rules` must be specified")
    if "defaultBackend" in spec:
        yield from _backend(f"{path}.defaultBackend", spec["defaultBackend"])
    for position, rule in enumerate(rules):
        yield from _rule(f"{path}.rules[{position}]", rule)
    yield from _tls(f"{path}.tls", spec.get("tls", ()))
    if (name := spec.get("ingressClassName")) is not None:
        yield from each(f"{path}.ingressClassName", name, names.dns_subdomain(name))


def _rule(path: str, rule: Object) -> Errors:
    if host := rule.get("host"):
        if _is_address(host):
            yield invalid_value(f"{path}.host", host, "must be a DNS name, not an IP address")
        yield from each(f"{path}.host", host, _host_problems(host))
    if "http" in rule:
        paths = rule["http"].get("paths") or ()
        if not paths:
            yield required(f"{path}.http.paths")
        for position, one in enumerate(paths):
            yield from _http_path(f"{path}.http.paths[{position}]", one)


def _host_problems(host: str) -> Sequence[str]:
    return names.wildcard_subdomain(host) if "*" in host else names.dns_subdomain(host)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _http_path(path: str, one: Object) -> Errors:
    kind, target = one.get("pathType"), one.get("path", "")
    if kind is None:
        yield required(f"{path}.pathType", "pathType must be specified")
        return
    if kind not in _PATH_TYPES:
        yield unsupported(f"{path}.pathType", kind, _PATH_TYPES)
    elif not target.startswith("/") and (target or kind != "ImplementationSpecific"):
        yield invalid_value(f"{path}.path", target, "must be an absolute path")
    if kind in {"Exact", "Prefix"}:
        bad = [f"must not contain '{part}'" for part in _BAD_SEQUENCES if part in target]
        bad += [f"cannot end with '{ending}'" for ending in _BAD_ENDINGS if target.endswith(ending)]
        yield from each(f"{path}.path", target, bad)
    yield from _backend(f"{path}.backend", one.get("backend", {}))


def _backend(path: str, backend: Object) -> Errors:
    if "resource" in backend and "service" in backend:
        yield invalid_value(path, "", "cannot set both resource and service backends")
    elif "resource" in backend:
        for field in ("kind", "name"):
            if not backend["resource"].get(field):
                yield required(f"{path}.resource.{field}")
    elif "service" in backend:
        yield from _service(path, backend["service"])
    else:
        yield invalid_value(path, "", "resource or service backend is required")


def _service(path: str, service: Object) -> Errors:
    name, port = service.get("name", ""), service.get("port", {})
    if not name:
        yield required(f"{path}.service.name")
    else:
        yield from each(f"{path}.service.name", name, names.dns_label(name))
    if port.get("name") and port.get("number"):
        yield invalid_value(path, "", "cannot set both port name & port number")
    elif port.get("name"):
        yield from each(f"{path}.service.port.name", port["name"], names.port_name(port["name"]))
    elif port.get("number"):
        yield from each(f"{path}.service.port.number", port["number"], names.port_number(port["number"]))
    else:
        yield required(path, "port name or number is required")


def _tls(path: str, entries: Sequence[Object]) -> Errors:
    for position, entry in enumerate(entries):
        for index, host in enumerate(entry.get("hosts", ())):
            yield from each(f"{path}[{position}].hosts[{index}]", host, _host_problems(host))
        if secret := entry.get("secretName"):
            yield from each(f"{path}[{position}].secretName", secret, names.dns_subdomain(secret))
