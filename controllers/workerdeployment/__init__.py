"""Makes a release of each template of a WorkerDeployment, and says which one is active and which one serves.

Guarantees: equal templates have one release, whose revision is the highest when it is used again; a release that is
active, the template's or serving is never pruned; a template that is not valid changes nothing.
"""

from controllers.workerdeployment.register import register_workerdeployment

__all__ = ["register_workerdeployment"]
