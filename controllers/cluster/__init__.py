"""Clusters: which of them can be used, and with which credentials."""

from controllers.cluster.register import register_cluster

__all__ = ["register_cluster"]
