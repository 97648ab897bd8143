"""Runs each JobBuilder's build once, and hands the image to its WorkerBundle.

Guarantees: only the conditions of a Job decide, never counters; a finished build is never run again by itself, also
when its Job is gone; of the builds of an account only the one that is wanted now reaches the bundle.
Not guaranteed: that a build which was overtaken has pushed nothing.
"""

from controllers.jobbuilder.register import register_jobbuilder

__all__ = ["register_jobbuilder"]
