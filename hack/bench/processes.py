"""CPU time and memory of processes that are not ours to ask."""

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
# Fields 14 and 15 of /proc/PID/stat, counted behind the name, which may hold spaces.
_USER, _SYSTEM = 11, 12


def cpu_seconds(pid: int) -> float:
    """User and system time so far, to the tick (usually 10 ms)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[_USER]) + int(fields[_SYSTEM])) / _TICKS


def resident_kib(pid: int) -> int:
    """How much memory is in RAM now."""
    return _kib(pid, "VmRSS:")


def peak_kib(pid: int) -> int:
    """The most that it ever was."""
    return _kib(pid, "VmHWM:")


def _kib(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))
