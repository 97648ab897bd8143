"""Says how far each WorkerRelease has come, and removes its code from the bucket when it goes.

Guarantees: a release that failed stays so until somebody asks for another try; only objects below the release's own
prefix are removed, and not while another release has them.
Not guaranteed: that the objects are gone when the release is: after ten minutes of failing an event names them.
"""

from controllers.workerrelease.register import register_workerrelease
from controllers.workerrelease.script_objects import ScriptObjects

__all__ = ["ScriptObjects", "register_workerrelease"]
