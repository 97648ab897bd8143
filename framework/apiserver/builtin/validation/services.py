"""Services."""

import ipaddress
from collections.abc import Sequence

from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import (
    Errors,
    each,
    in_order,
    ip_address,
    ip_network,
    one_of,
    port_number_or_name,
)
from framework.apiserver.builtin.validation.selectors import labels
from framework.apiserver.fields import (
    duplicate,
    forbidden_field,
    invalid_value,
    required,
    unsupported,
)
from framework.apiserver.objects import Object

_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_AFFINITIES = ("ClientIP", "None")
_TRAFFIC_POLICIES = ("Cluster", "Local")
_FAMILIES = ("IPv4", "IPv6")
_FAMILY_POLICIES = ("PreferDualStack", "RequireDualStack", "SingleStack")
_LONGEST_AFFINITY_SECONDS = 86400
_MOST_ADDRESSES = 2


def service(obj: Object) -> Errors:
    spec = obj["spec"]
    kind, is_headless = spec.get("type", ""), spec.get("clusterIP") == "None"
    ports = spec.get("ports", ())
    if not ports and not is_headless and kind != "ExternalName":
        yield required("spec.ports")
    if kind in {"LoadBalancer", "NodePort"} and is_headless:
        yield invalid_value("spec.clusterIPs[0]", "None", f"may not be set to 'None' for {kind} services")
    if kind == "ExternalName":
        yield from _external_name(spec)
    yield from _ports(ports)
    yield from labels("spec.selector", spec.get("selector", {}))
    yield from _affinity(spec)
    if kind != "ExternalName":
        yield from cluster_ips(spec)
    for position, address in enumerate(spec.get("externalIPs", ())):
        yield from ip_address(f"spec.externalIPs[{position}]", address)
    yield from one_of("spec.type", kind, _TYPES)
    yield from _node_ports(kind, ports)
    yield from _duplicate_ports(ports)
    yield from _load_balancer(spec, kind)
    yield from _traffic(spec, kind)


def _external_name(spec: Object) -> Errors:
    for field in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if spec.get(field):
            yield forbidden_field(f"spec.{field}", "may not be set for ExternalName services")
    name = spec.get("externalName", "").removesuffix(".")
    if not name:
        yield required("spec.externalName")
    else:
        yield from each("spec.externalName", name, names.dns_subdomain(name))


def _ports(ports: Sequence[Object]) -> Errors:
    seen: set[str] = set()
    for position, port in enumerate(ports):
        path, name = f"spec.ports[{position}]", port.get("name", "")
        if name:
            yield from each(f"{path}.name", name, names.dns_label(name))
            if name in seen:
                yield duplicate(f"{path}.name", name)
            seen.add(name)
        elif len(ports) > 1:
            yield required(f"{path}.name")
        yield from each(f"{path}.port", port.get("port", 0), names.port_number(port.get("port", 0)))
        yield from one_of(f"{path}.protocol", port.get("protocol", ""), _PROTOCOLS)
        yield from port_number_or_name(f"{path}.targetPort", port.get("targetPort", 0))
        if (protocol := port.get("appProtocol")) is not None:
            yield from each(f"{path}.appProtocol", protocol, names.qualified_name(protocol))


def _node_ports(kind: str, ports: Sequence[Object]) -> Errors:
    seen: set[tuple[str, int]] = set()
    for position, port in enumerate(ports):
        field, number = f"spec.ports[{position}].nodePort", port.get("nodePort", 0)
        if number and kind == "ClusterIP":
            yield forbidden_field(field, "may not be used when `type` is 'ClusterIP'")
        if number and (port.get("protocol", ""), number) in seen:
            yield duplicate(field, number)
        seen.add((port.get("protocol", ""), number))


def _duplicate_ports(ports: Sequence[Object]) -> Errors:
    seen: set[tuple[str, int]] = set()
    for position, port in enumerate(ports):
        key = (port.get("protocol", ""), port.get("port", 0))
        if key in seen:
            # The names and order of fields are those that the server's own type has.
            shown = {
                "Name": "",
                "Protocol": key[0],
                "AppProtocol": None,
                "Port": key[1],
                "TargetPort": 0,
                "NodePort": 0,
            }
            yield duplicate(f"spec.ports[{position}]", in_order(shown))
        seen.add(key)


def _affinity(spec: Object) -> Errors:
    affinity = spec.get("sessionAffinity", "")
    yield from one_of("spec.sessionAffinity", affinity, _AFFINITIES)
    if affinity == "ClientIP":
        seconds = spec.get("sessionAffinityConfig", {}).get("clientIP", {}).get("timeoutSeconds", 0)
        if not 0 < seconds <= _LONGEST_AFFINITY_SECONDS:
            field = "spec.sessionAffinityConfig.clientIP.timeoutSeconds"
            yield invalid_value(field, seconds, f"must be greater than 0 and less than {_LONGEST_AFFINITY_SECONDS}")


def cluster_ips(spec: Object) -> Errors:
    """Addresses and families, which must agree."""
    address, addresses = spec.get("clusterIP", ""), spec.get("clusterIPs", [])
    if address and not addresses:
        yield required("spec.clusterIPs")
    elif address and addresses[0] != address:
        yield invalid_value("spec.clusterIPs", addresses, "first value must match `clusterIP`")
    elif addresses and not address:
        yield invalid_value("spec.clusterIPs", addresses, "must be empty when `clusterIP` is not specified")
    yield from _families(spec)
    if addresses == ["None"]:
        return
    wrong = [*_addresses(addresses)]
    yield from wrong
    if not wrong:
        yield from _address_families(addresses, spec.get("ipFamilies", ()))


def _families(spec: Object) -> Errors:
    seen: set[str] = set()
    for position, family in enumerate(spec.get("ipFamilies", ())):
        field = f"spec.ipFamilies[{position}]"
        if family not in _FAMILIES:
            yield unsupported(field, family, _FAMILIES)
        if family in seen:
            yield duplicate(field, family)
        seen.add(family)
    policy = spec.get("ipFamilyPolicy")
    if policy is not None and policy not in _FAMILY_POLICIES:
        yield unsupported("spec.ipFamilyPolicy", policy, _FAMILY_POLICIES)


def _addresses(addresses: Sequence[str]) -> Errors:
    if "None" in addresses[:1]:
        yield invalid_value("spec.clusterIPs", addresses, "'None' must be the first and only value")
    for position, address in enumerate(addresses):
        yield from ip_address(f"spec.clusterIPs[{position}]", address)
    if len(addresses) > _MOST_ADDRESSES:
        yield invalid_value("spec.clusterIPs", addresses, "may only hold up to 2 values")


def _address_families(addresses: Sequence[str], families: Sequence[str]) -> Errors:
    for position, (address, family) in enumerate(zip(addresses, families, strict=False)):
        if f"IPv{ipaddress.ip_address(address).version}" != family:
            detail = f"expected an {family} value as indicated by `ipFamilies[{position}]`"
            yield invalid_value(f"spec.clusterIPs[{position}]", address, detail)


def _load_balancer(spec: Object, kind: str) -> Errors:
    only = "may only be used when `type` is 'LoadBalancer'"
    if ranges := spec.get("loadBalancerSourceRanges"):
        if kind != "LoadBalancer":
            yield forbidden_field("spec.LoadBalancerSourceRanges", only)
        for position, network in enumerate(ranges):
            yield from ip_network(f"spec.LoadBalancerSourceRanges[{position}]", network.strip())
    if "allocateLoadBalancerNodePorts" in spec and kind != "LoadBalancer":
        yield forbidden_field("spec.allocateLoadBalancerNodePorts", only)
    if "loadBalancerClass" in spec:
        if kind != "LoadBalancer":
            yield forbidden_field("spec.loadBalancerClass", only)
        else:
            name = spec["loadBalancerClass"]
            yield from each("spec.loadBalancerClass", name, names.qualified_name(name))


def _traffic(spec: Object, kind: str) -> Errors:
    policy, field = spec.get("externalTrafficPolicy", ""), "spec.externalTrafficPolicy"
    if kind in {"NodePort", "LoadBalancer"} or (kind == "ClusterIP" and spec.get("externalIPs")):
        yield from one_of(field, policy, _TRAFFIC_POLICIES)
    elif policy:
        yield invalid_value(field, policy, "may only be set for externally-accessible services")
    if spec.get("healthCheckNodePort") and not (kind == "LoadBalancer" and policy == "Local"):
        detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        yield invalid_value("spec.healthCheckNodePort", spec["healthCheckNodePort"], detail)
    internal = spec.get("internalTrafficPolicy")
    if internal is not None and internal not in _TRAFFIC_POLICIES:
        yield unsupported("spec.internalTrafficPolicy", internal, _TRAFFIC_POLICIES)


def service_update(new: Object, old: Object) -> Errors:
    """*new* and *old* are the specs."""
    if "ExternalName" not in {new.get("type"), old.get("type")}:
        yield from _address_update(new.get("clusterIPs", []), old.get("clusterIPs", []))
    if new.get("type") == old.get("type") == "LoadBalancer":
        after, before = new.get("loadBalancerClass"), old.get("loadBalancerClass")
        if after != before:
            yield invalid_value("spec.loadBalancerClass", after, "may not change once set")
        both_local = new.get("externalTrafficPolicy") == old.get("externalTrafficPolicy") == "Local"
        if both_local and new.get("healthCheckNodePort") != old.get("healthCheckNodePort"):
            yield forbidden_field("spec.healthCheckNodePort", "field is immutable")


def _address_update(new: Sequence[str], old: Sequence[str]) -> Errors:
    if len(new) == len(old):
        for position, (after, before) in enumerate(zip(new, old, strict=True)):
            if after != before:
                yield invalid_value(f"spec.clusterIPs[{position}]", new, "may not change once set")
    elif old and not new:
        yield invalid_value("spec.clusterIPs[0]", new or None, "primary clusterIP can not be unset")
    elif old and new[0] != old[0]:
        yield invalid_value("spec.clusterIPs[0]", new, "may not change once set")
