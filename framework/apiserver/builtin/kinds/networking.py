"""Ingresses and NetworkPolicies."""

import ipaddress
from collections.abc import Sequence

from framework.apiserver.builtin.strategy import BuiltinStrategy
from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each, ip_network
from framework.apiserver.builtin.validation.ingresses import ingress_spec
from framework.apiserver.builtin.validation.selectors import label_selector
from framework.apiserver.fields import forbidden_field, invalid_value, required, unsupported
from framework.apiserver.objects import Object

_PROTOCOLS = ("TCP", "UDP", "SCTP")
_POLICY_TYPES = ("Ingress", "Egress")
_CLASS_ANNOTATION = "kubernetes.io/ingress.class"


class IngressStrategy(BuiltinStrategy):
    has_generation = True
    rechecks_metadata = True

    def problems(self, obj: Object) -> Errors:
        return ingress_spec("spec", obj.get("spec", {}))

    def create_problems(self, obj: Object) -> Errors:
        annotated = obj["metadata"].get("annotations", {}).get(_CLASS_ANNOTATION)
        named = obj.get("spec", {}).get("ingressClassName")
        if annotated is not None and named is not None and annotated != named:
            detail = "must match `ingressClassName` when both are specified"
            yield invalid_value(f"annotations.{_CLASS_ANNOTATION}", annotated, detail)

    def warnings(self, obj: Object) -> list[str]:
        if "resourceVersion" in obj["metadata"] or _CLASS_ANNOTATION not in obj["metadata"].get("annotations", {}):
            return []
        return [f"annotation \"{_CLASS_ANNOTATION}\" is deprecated, please use 'spec.ingressClassName' instead"]


class NetworkPolicyStrategy(BuiltinStrategy):
    has_generation = True

    def problems(self, obj: Object) -> Errors:
        spec = obj.get("spec", {})
        yield from label_selector("spec.podSelector", spec.get("podSelector"))
        for direction, peers in (("ingress", "from"), ("egress", "to")):
            for position, rule in enumerate(spec.get(direction, ())):
                path = f"spec.{direction}[{position}]"
                for index, port in enumerate(rule.get("ports", ())):
                    yield from _port(f"{path}.ports[{index}]", port)
                for index, peer in enumerate(rule.get(peers, ())):
                    yield from _peer(f"{path}.{peers}[{index}]", peer)
        yield from _policy_types(spec.get("policyTypes", ()))


def _policy_types(types: Sequence[str]) -> Errors:
    if len(types) > len(_POLICY_TYPES):
        yield invalid_value("spec.policyTypes", types, "may not specify more than two policyTypes")
        return
    for position, kind in enumerate(types):
        if kind not in _POLICY_TYPES:
            yield unsupported(f"spec.policyTypes[{position}]", kind, _POLICY_TYPES)


def _port(path: str, port: Object) -> Errors:
    protocol, number, end = port.get("protocol", "TCP"), port.get("port"), port.get("endPort")
    if protocol not in _PROTOCOLS:
        yield unsupported(f"{path}.protocol", protocol, _PROTOCOLS)
    if isinstance(number, int):
        yield from each(f"{path}.port", number, names.port_number(number))
        if end is not None:
            if end < number:
                yield invalid_value(f"{path}.endPort", number, "must be greater than or equal to `port`")
            yield from each(f"{path}.endPort", end, names.port_number(end))
        return
    if end is not None:
        why = "not specified" if number is None else "non-numeric"
        yield invalid_value(f"{path}.endPort", end, f"may not be specified when `port` is {why}")
    if number is not None:
        yield from each(f"{path}.port", number, names.port_name(number))


def _peer(path: str, peer: Object) -> Errors:
    for field in ("podSelector", "namespaceSelector"):
        yield from label_selector(f"{path}.{field}", peer.get(field))
    if "ipBlock" in peer:
        yield from _block(f"{path}.ipBlock", peer["ipBlock"])
    if not peer:
        yield required(path, "must specify a peer")
    elif len(peer) > 1 and "ipBlock" in peer:
        yield forbidden_field(path, "may not specify both ipBlock and another peer")


def _block(path: str, block: Object) -> Errors:
    network = block.get("cidr", "")
    if not network:
        yield required(f"{path}.cidr")
        return
    wrong = [*ip_network(f"{path}.cidr", network)]
    yield from wrong
    if wrong:
        return
    for position, exception in enumerate(block.get("except", ())):
        field = f"{path}.except[{position}]"
        wrong = [*ip_network(field, exception)]
        yield from wrong
        if not wrong and not _is_strictly_inside(exception, network):
            yield invalid_value(field, exception, "must be a strict subset of `cidr`")


def _is_strictly_inside(inner: str, outer: str) -> bool:
    small, large = ipaddress.ip_network(inner, strict=False), ipaddress.ip_network(outer, strict=False)
    return small.version == large.version and small.network_address in large and small.prefixlen > large.prefixlen
