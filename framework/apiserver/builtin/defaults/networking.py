"""Defaults of network policies."""

from framework.apiserver.objects import Object


def default_policy_spec(spec: Object) -> None:
    if not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]


def default_policy_port(port: Object) -> None:
    port.setdefault("protocol", "TCP")


NETWORKING_DEFAULTS = {
    "networking.v1.NetworkPolicySpec": default_policy_spec,
    "networking.v1.NetworkPolicyPort": default_policy_port,
}
