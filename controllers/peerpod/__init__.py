"""PeerPods: the VM behind a pod is deleted when the one that made it did not.

Guarantees: no VM is touched before its PeerPod is being deleted; the finalizer stays until the cloud has said that the
VM goes or is gone; what was begun before a crash is done again without a second effect; nothing secret is told.
Not guaranteed: that a VM without a PeerPod is found.
"""

from controllers.peerpod.hosting import host_peerpod
from controllers.peerpod.reconciler import PeerPodReconciler
from controllers.peerpod.register import register_peerpod

__all__ = ["PeerPodReconciler", "host_peerpod", "register_peerpod"]
