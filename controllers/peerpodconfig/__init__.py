"""PeerPodConfigs: nodes say how many peer pods they can have, the adaptor runs there, pods are made peer pods."""

from controllers.peerpodconfig.hosting import host_peerpodconfig
from controllers.peerpodconfig.reconciler import PeerPodConfigReconciler
from controllers.peerpodconfig.register import register_peerpodconfig

__all__ = ["PeerPodConfigReconciler", "host_peerpodconfig", "register_peerpodconfig"]
