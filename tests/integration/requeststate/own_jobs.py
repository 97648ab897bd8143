"""Jobs that are not shipped: some fail, one tells that it runs."""

import os
from collections.abc import Mapping
from pathlib import Path

JOBS = """
import sys


def flaky(context):
    context.log.info("attempt", number=context.attempt)
    if context.attempt < 3:
        raise RuntimeError(f"not yet, at try {context.attempt}")


def short(context):
    context.log.info("running")
    if context.stop.wait(1.0):
        raise RuntimeError("a short job is not stopped")


def hopeless(context):
    raise ValueError("the disk\\nis full")


def leaving(context):
    sys.exit("a job must not end the process")
"""
ENTRY_POINTS = """
[windlass.jobs]
FLAKY = test_jobs_of_windlass:flaky
SHORT = test_jobs_of_windlass:short
HOPELESS = test_jobs_of_windlass:hopeless
LEAVING = test_jobs_of_windlass:leaving
BROKEN = test_jobs_of_windlass:missing
"""


def install_jobs(folder: Path) -> Mapping[str, str]:
    """The environment in which a distribution with these jobs is installed in *folder*."""
    metadata = folder / "jobs_of_windlass-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "test_jobs_of_windlass.py").write_text(JOBS)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: jobs-of-windlass\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    inherited = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": f"{folder}{os.pathsep}{inherited}" if inherited else str(folder)}
