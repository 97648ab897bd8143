"""What an update of a service keeps, and what goes with its type, where the client says nothing of it."""

from framework.apiserver.builtin.allocation import node_ports
from framework.apiserver.builtin.strategy import restore
from framework.apiserver.objects import Object

WITH_NODE_PORTS = frozenset({"NodePort", "LoadBalancer"})
_ADDRESS_FIELDS = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
_LOAD_BALANCER_FIELDS = ("allocateLoadBalancerNodePorts", "loadBalancerClass", "healthCheckNodePort")


def adopt_allocated(after: Object, before: Object) -> None:
    """Keep what was allocated: a client that does not know of it does not mean to give it back."""
    types = {after.get("type"), before.get("type")}
    if "ExternalName" not in types:
        _adopt_addresses(after, before)
    if types <= WITH_NODE_PORTS:
        _adopt_node_ports(after, before)


def _adopt_addresses(after: Object, before: Object) -> None:
    is_other = after.get("clusterIP", "") not in {"", before.get("clusterIP")}
    if is_other and after.get("clusterIPs", before.get("clusterIPs")) == before.get("clusterIPs"):
        after["clusterIPs"] = [after["clusterIP"]]
    for field in _ADDRESS_FIELDS:
        if not after.get(field):
            restore(after, before, field)


def _adopt_node_ports(after: Object, before: Object) -> None:
    kept = node_ports(after) & node_ports(before)
    by_name = {port.get("name", ""): port.get("nodePort") for port in before.get("ports", ())}
    for port in after.get("ports", ()):
        known = by_name.get(port.get("name", ""))
        if "nodePort" not in port and known and known not in kept:
            port["nodePort"] = known
    if "healthCheckNodePort" not in after and after.get("externalTrafficPolicy") == "Local":
        restore(after, before, "healthCheckNodePort")


def drop_what_the_type_has_not(after: Object, before: Object) -> None:
    """Only what the user did not also change: that must fail in validation."""
    is_now, was = after.get("type"), before.get("type")
    if is_now == "ExternalName" and was != "ExternalName":
        _drop_unchanged(after, before, *_ADDRESS_FIELDS, "internalTrafficPolicy")
    if was in WITH_NODE_PORTS and is_now not in WITH_NODE_PORTS:
        if node_ports({**after, "healthCheckNodePort": 0}) <= node_ports(before):
            for port in after.get("ports", ()):
                port.pop("nodePort", None)
        if not after.get("externalIPs"):
            _drop_unchanged(after, before, "externalTrafficPolicy")
    if was == "LoadBalancer" != is_now:
        _drop_unchanged(after, before, *_LOAD_BALANCER_FIELDS)


def _drop_unchanged(after: Object, before: Object, *fields: str) -> None:
    for field in fields:
        if after.get(field) == before.get(field):
            after.pop(field, None)
