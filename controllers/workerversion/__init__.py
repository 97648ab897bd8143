"""Gives the WorkerDeployment of a script the URL of its newest WorkerVersion.

Guarantees: of several versions of a script only the newest acts, whatever the order in which they are seen, and it
acts once; an upload that came later is not undone.
"""

from controllers.workerversion.register import register_workerversion

__all__ = ["register_workerversion"]
