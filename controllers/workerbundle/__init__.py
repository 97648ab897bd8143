"""Serves what a WorkerBundle says: a Deployment, a Service, an Ingress, and an autoscaler where one is asked for.

Guarantees: drift is taken back, and fields of others stay; an image is deleted from the registry only where we may,
only when nothing runs it any more, and never while any bundle has its digest.
Not guaranteed: that a registry which does not delete gets rid of anything.
"""

from controllers.workerbundle.register import register_workerbundle

__all__ = ["register_workerbundle"]
