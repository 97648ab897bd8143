"""Which Kubernetes the server stands for."""

import platform
from collections.abc import Mapping

# The build metadata says who answers; comparisons of versions ignore it.
GIT_VERSION = "v1.36.3+windlass"


def version_document() -> Mapping[str, str]:
    """`/version`."""
    return {
        "major": "1",
        "minor": "36",
        "emulationMajor": "1",
        "emulationMinor": "36",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "35",
        "gitVersion": GIT_VERSION,
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": platform.python_implementation(),
        "platform": f"{platform.system()}/{platform.machine()}".lower(),
    }
