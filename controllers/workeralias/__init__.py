"""Mirrors objects of the group that upstream's code uses as objects of the groups that its documentation names.

Guarantees: an alias and its canonical object have the same name and namespace; labels, annotations and spec are the
alias's, except annotations that belong to the controllers and fields that `handed_over` names; the alias's status is
that of the canonical object and the condition `Mirrored`; a canonical object that the alias does not own is never
written; nothing is written when nothing differs; what the alias made goes with it, by garbage collection.
Not guaranteed: that a canonical object which others change keeps these changes: all but the fields that are handed
over is taken back.
"""

from controllers.workeralias.register import ALIASES, alias_controller, register_workeralias

__all__ = ["ALIASES", "alias_controller", "register_workeralias"]
