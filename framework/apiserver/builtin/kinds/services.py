"""Services."""

from collections.abc import Callable, Iterable
from typing import ClassVar

from framework.apiserver.builtin.allocation import AllocationError, ServiceAllocator, node_ports
from framework.apiserver.builtin.resources import BuiltinResource
from framework.apiserver.builtin.service_updates import WITH_NODE_PORTS, adopt_allocated, drop_what_the_type_has_not
from framework.apiserver.builtin.strategy import BuiltinStrategy, Selectable, text_at
from framework.apiserver.builtin.validation.checks import Errors
from framework.apiserver.builtin.validation.services import cluster_ips, service, service_update
from framework.apiserver.builtin.warnings import service_warnings
from framework.apiserver.fields import invalid_value
from framework.apiserver.objectmeta import NameRule, label_name
from framework.apiserver.objects import GroupKind, Object
from framework.apiserver.status import internal_error, invalid

_KIND = GroupKind("", "Service")


class ServiceStrategy(BuiltinStrategy):
    allows_create_on_update = True
    judges_update_first = True
    selectable: ClassVar[Selectable] = {
        "spec.clusterIP": text_at("spec", "clusterIP"),
        "spec.type": text_at("spec", "type"),
    }

    def name_rule(self) -> NameRule:
        return label_name

    def __init__(self, resource: BuiltinResource, services: Callable[[], Iterable[Object]]) -> None:
        super().__init__(resource)
        self._allocator = ServiceAllocator(services)

    def prepare_for_create(self, obj: Object) -> None:
        """Also gives it its addresses and ports; Invalid if those that it asks for cannot be had."""
        super().prepare_for_create(obj)
        spec = obj["spec"]
        if spec.get("clusterIP") and not spec.get("clusterIPs"):
            spec["clusterIPs"] = [spec["clusterIP"]]
        self._allocate(obj, had=set(), had_address=False)

    def prepare_spec_update(self, new: Object, old: Object) -> None:
        after, before = new["spec"], old["spec"]
        if after.get("type") != "LoadBalancer":
            new["status"] = {"loadBalancer": {}}
        adopt_allocated(after, before)
        drop_what_the_type_has_not(after, before)
        had_address = bool(before.get("clusterIPs"))
        self._allocate(new, had=node_ports(before), had_address=had_address)

    def problems(self, obj: Object) -> Errors:
        return service(obj)

    def update_problems(self, new: Object, old: Object) -> Errors:
        return service_update(new["spec"], old["spec"])

    def _allocate(self, obj: Object, *, had: set[int], had_address: bool) -> None:
        spec = obj["spec"]
        if spec.get("type") != "ExternalName":
            _default_families(spec)
            if errors := [*cluster_ips(spec)]:
                raise invalid(_KIND, obj["metadata"].get("name", ""), errors)
            if spec.get("clusterIP") != "None" and not had_address:
                self._allocate_address(obj)
        if spec.get("type") in WITH_NODE_PORTS:
            self._allocate_ports(obj, had)

    def _allocate_address(self, obj: Object) -> None:
        spec = obj["spec"]
        try:
            if spec.get("clusterIPs"):
                self._allocator.check_address(spec["clusterIPs"][0])
                return
            spec["clusterIP"] = self._allocator.free_address()
            spec["clusterIPs"] = [spec["clusterIP"]]
        except AllocationError as error:
            addresses = spec.get("clusterIPs")
            what = f"failed to allocate IP {addresses[0]}: {error}" if addresses else f"failed to allocate IP: {error}"
            problem = invalid_value("spec.clusterIPs", addresses, what)
            raise invalid(_KIND, obj["metadata"].get("name", ""), [problem]) from None

    def _allocate_ports(self, obj: Object, had: set[int]) -> None:
        spec = obj["spec"]
        given: dict[int, int] = {port["port"]: port["nodePort"] for port in spec.get("ports", ()) if "nodePort" in port}
        taken: set[int] = set()
        for position, port in enumerate(spec.get("ports", ())):
            if "nodePort" in port:
                if port["nodePort"] not in had | taken:
                    self._check_port(obj, f"spec.ports[{position}].nodePort", port["nodePort"])
            elif spec["type"] == "NodePort" or spec.get("allocateLoadBalancerNodePorts", True):
                # One port for two protocols is one port on the node, too.
                port["nodePort"] = given.get(port["port"]) or self._free_port(taken)
                given[port["port"]] = port["nodePort"]
            taken |= node_ports({"ports": [port]})
        if spec["type"] == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local":
            if "healthCheckNodePort" not in spec:
                spec["healthCheckNodePort"] = self._free_port(taken)
            elif spec["healthCheckNodePort"] not in had:
                self._check_port(obj, "spec.healthCheckNodePort", spec["healthCheckNodePort"])

    def _free_port(self, taken: set[int]) -> int:
        try:
            return self._allocator.free_port(taken)
        except AllocationError as error:
            raise internal_error(f"failed to allocate a nodePort: {error}") from None

    def _check_port(self, obj: Object, field: str, port: int) -> None:
        try:
            self._allocator.check_port(port, set())
        except AllocationError as error:
            problem = invalid_value(field, port, str(error))
            raise invalid(_KIND, obj["metadata"].get("name", ""), [problem]) from None

    def warnings(self, obj: Object) -> list[str]:
        return [*service_warnings(obj["spec"])]


def _default_families(spec: Object) -> None:
    is_dual = spec.get("clusterIP") == "None" and not spec.get("selector")
    spec.setdefault("ipFamilyPolicy", "RequireDualStack" if is_dual else "SingleStack")
    families = spec.setdefault("ipFamilies", ["IPv4"])
    if is_dual and len(families) == 1 and spec["ipFamilyPolicy"] != "SingleStack":
        families.append("IPv6" if families[0] == "IPv4" else "IPv4")
