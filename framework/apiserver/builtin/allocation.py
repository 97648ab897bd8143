"""Addresses and node ports for services, derived from the services that have them."""

import ipaddress
from collections.abc import Callable, Iterable

from framework.apiserver.objects import Object

CLUSTER_NETWORK = ipaddress.IPv4Network("10.96.0.0/16")
FIRST_NODE_PORT, LAST_NODE_PORT = 30000, 32767
# The first address is that of the server's own service.
_FIRST_FREE = 2


class AllocationError(Exception):
    """What was asked for cannot be had; the text is the real allocator's."""


class ServiceAllocator:
    """Keeps nothing itself: what is taken is what the stored services show, so nothing can leak or be lost."""

    def __init__(self, services: Callable[[], Iterable[Object]]) -> None:
        self._services = services

    def free_address(self) -> str:
        taken = self._addresses()
        first = int(CLUSTER_NETWORK.network_address)
        for offset in range(_FIRST_FREE, CLUSTER_NETWORK.num_addresses - 1):
            address = str(ipaddress.IPv4Address(first + offset))
            if address not in taken:
                return address
        raise AllocationError("range is full")

    def check_address(self, address: str) -> None:
        """AllocationError unless *address* can be given to a new service."""
        if ipaddress.ip_address(address) not in CLUSTER_NETWORK:
            valid = f"The range of valid IPs is {CLUSTER_NETWORK}"
            raise AllocationError(f"the provided IP ({address}) is not in the valid range. {valid}")
        if address in self._addresses():
            raise AllocationError("provided IP is already allocated")

    def free_port(self, also_taken: set[int]) -> int:
        taken = self._ports() | also_taken
        for port in range(FIRST_NODE_PORT, LAST_NODE_PORT + 1):
            if port not in taken:
                return port
        raise AllocationError("range is full")

    def check_port(self, port: int, also_taken: set[int]) -> None:
        """AllocationError unless *port* can be given to a service that does not have it."""
        if not FIRST_NODE_PORT <= port <= LAST_NODE_PORT:
            valid = f"{FIRST_NODE_PORT}-{LAST_NODE_PORT}"
            raise AllocationError(f"provided port is not in the valid range. The range of valid ports is {valid}")
        if port in self._ports() or port in also_taken:
            raise AllocationError("provided port is already allocated")

    def _addresses(self) -> set[str]:
        return {address for service in self._services() for address in service["spec"].get("clusterIPs", ())}

    def _ports(self) -> set[int]:
        return {port for service in self._services() for port in node_ports(service["spec"])}


def node_ports(spec: Object) -> set[int]:
    ports = {port["nodePort"] for port in spec.get("ports", ()) if port.get("nodePort")}
    return ports | {spec["healthCheckNodePort"]} if spec.get("healthCheckNodePort") else ports
