"""A standalone process as a cluster that a test looks into."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from framework.client import connect, from_kubeconfig
from framework.clock import SystemClock
from tests.integration.requeststate.objects import Objects
from tests.integration.requeststate.processes import Process, Windlass

_KUBECTL = re.compile(r"^windlass: kubectl --kubeconfig=(\S+) get requeststates$", re.MULTILINE)


# So that the next process on the same data leads soon after the last one was killed.
_QUICK_LEASE = ("-lease-duration=2s", "-lease-renew-deadline=1500ms", "-lease-retry-period=200ms")


def run(windlass: Windlass, *flags: str) -> Process:
    return windlass.start_bare("-mode=standalone", "-job-duration=0", *flags)


def serve(windlass: Windlass, data_dir: Path, *flags: str) -> Process:
    """One that creates nothing, and is ready."""
    process = run(windlass, f"-data-dir={data_dir}", "-requests=0", *_QUICK_LEASE, *flags)
    process.wait_for_log("leading")
    return process


def kubeconfig_of(process: Process) -> Path:
    found = _KUBECTL.search(process.stderr)
    assert found is not None, process.stderr
    return Path(found[1])


@contextmanager
def objects_of(process: Process) -> Iterator[Objects]:
    client = connect(from_kubeconfig(str(kubeconfig_of(process)), clock=SystemClock()))
    try:
        yield Objects(client, "default")
    finally:
        client.connection.close()
