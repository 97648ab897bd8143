"""A real Kubernetes control plane as a context manager, on loopback, for tests.

Guarantees: every process ends with the Python process that started it, even when that one is killed; control planes
do not disturb each other, in one process or in many; everything written lies in the folder that was given, one log
per process.
Not guaranteed: durability (etcd does not sync to the disk), secrecy (keys lie unencrypted in the folder), kubelets
(pods only run when kwok plays the nodes).
"""

from framework.testing.control_plane.binaries import find_binaries, find_kubectl
from framework.testing.control_plane.control_plane import ControlPlane
from framework.testing.control_plane.credentials import ClientCertificate
from framework.testing.control_plane.error import ControlPlaneError

__all__ = ["ClientCertificate", "ControlPlane", "ControlPlaneError", "find_binaries", "find_kubectl"]
