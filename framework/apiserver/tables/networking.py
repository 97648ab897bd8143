"""What leads to pods: Services, Ingresses, NetworkPolicies."""

from collections.abc import Sequence
from typing import Any

from framework.apiserver.objects import Object
from framework.apiserver.resource import Column
from framework.apiserver.tables.durations import UNKNOWN, age
from framework.apiserver.tables.label_text import labels_text, selector_text
from framework.apiserver.tables.printer import AGE, NAME, SELECTOR, FunctionTable
from framework.apiserver.tables.reading import NONE, created, dig, name_of, objects_at, text_at

_MOST_HOSTS = 3


def _service(obj: Object, now: float) -> Sequence[Any]:
    addresses = dig(obj, "spec", "clusterIPs") or [text_at(obj, "spec", "clusterIP") or NONE]
    ports = ",".join(_port(port) for port in objects_at(obj, "spec", "ports"))
    return (
        name_of(obj),
        text_at(obj, "spec", "type"),
        addresses[0],
        _external_addresses(obj),
        ports or NONE,
        age(created(obj), now),
        labels_text(dig(obj, "spec", "selector")),
    )


def _port(port: Object) -> str:
    node_port = port.get("nodePort")
    return (
        f"{port.get('port')}:{node_port}/{port.get('protocol')}"
        if node_port
        else f"{port.get('port')}/{port.get('protocol')}"
    )


def _external_addresses(obj: Object) -> str:
    kind = text_at(obj, "spec", "type")
    external: list[str] = dig(obj, "spec", "externalIPs") or []
    if kind in {"ClusterIP", "NodePort"}:
        return ",".join(external) or NONE
    if kind == "LoadBalancer":
        return ",".join([*_balancer_addresses(obj), *external]) or "<pending>"
    return text_at(obj, "spec", "externalName") if kind == "ExternalName" else UNKNOWN


def _balancer_addresses(obj: Object) -> list[str]:
    points = objects_at(obj, "status", "loadBalancer", "ingress")
    return sorted({text_at(one, "ip") or text_at(one, "hostname") for one in points} - {""})


def _ingress(obj: Object, now: float) -> Sequence[Any]:
    ingress_class = dig(obj, "spec", "ingressClassName")
    return (
        name_of(obj),
        NONE if ingress_class is None else ingress_class,
        _hosts(objects_at(obj, "spec", "rules")),
        ",".join(_balancer_addresses(obj)),
        "80, 443" if objects_at(obj, "spec", "tls") else "80",
        age(created(obj), now),
    )


def _hosts(rules: Sequence[Object]) -> str:
    shown: list[str] = []
    for rule in rules:
        if len(shown) == _MOST_HOSTS:
            return f"{','.join(shown)} + {len(rules) - _MOST_HOSTS} more..."
        if host := text_at(rule, "host"):
            shown.append(host)
    return ",".join(shown) or "*"


def _network_policy(obj: Object, now: float) -> Sequence[Any]:
    return (name_of(obj), selector_text(dig(obj, "spec", "podSelector")), age(created(obj), now))


SERVICES = FunctionTable(
    (
        NAME,
        Column("Type", description="How the service is reached."),
        Column("Cluster-IP", description="Address inside of the cluster."),
        Column("External-IP", description="Addresses outside of the cluster."),
        Column("Port(s)", description="Ports of the service, with those on the nodes."),
        AGE,
        SELECTOR,
    ),
    _service,
)
INGRESSES = FunctionTable(
    (
        NAME,
        Column("Class", description="IngressClass that implements the ingress."),
        Column("Hosts", description="Hosts for which there are rules."),
        Column("Address", description="Addresses of the load balancer."),
        Column("Ports", description="Ports that are open."),
        AGE,
    ),
    _ingress,
)
NETWORK_POLICIES = FunctionTable(
    (NAME, Column("Pod-Selector", description="Labels of the pods for which the policy holds."), AGE),
    _network_policy,
)
