"""Where each script answers."""

from collections.abc import Iterable, Mapping
from itertools import count

FIRST_PORT = 8080


def assigned_ports(scripts: Iterable[str], present: Mapping[str, int]) -> dict[str, int]:
    """Who has a port keeps it; others get the lowest that is free, in the order of their names."""
    wanted = sorted(scripts)
    ports = {name: present[name] for name in wanted if name in present}
    free = (port for port in count(FIRST_PORT) if port not in set(ports.values()))
    for name in wanted:
        if name not in ports:
            ports[name] = next(free)
    return ports
