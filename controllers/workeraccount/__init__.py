"""Composes the active releases of an account into one image, and has it built and served.

Guarantees: one writer decides what an account should serve, from all of its releases at once; a script keeps its port
as long as it is composed; equal inputs have one composition, and one build; a crash between any two writes is
repaired by the next reconcile.
"""

from controllers.workeraccount.register import register_workeraccount

__all__ = ["register_workeraccount"]
