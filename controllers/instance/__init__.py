"""Instances: each is placed on one Cluster, and kept running there."""

from controllers.instance.register import register_instance

__all__ = ["register_instance"]
