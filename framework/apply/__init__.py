"""Makes the children of an owner what they should be: applied where they differ, deleted where nobody wants them.

Guarantees: a child is written by server-side apply with a controller owner
reference, and only if the write could change something (`comparison` says
how that is judged); what another owner controls, or what nobody controls and
we did not make, is never written; a child is deleted only as that very object
and version, if this owner controls it, our field manager applied it and it is
not desired; everything desired is applied before anything is deleted; what
exists is found by looking, never remembered, so a crash after any write loses
nothing; an owner that would not be one to the garbage collector, and a
reference into another namespace that nobody declared, is refused.
Not guaranteed: that a settled child causes no request at all when the cache
does not keep the whole object (metadata only, a transform, Secrets without
values): then it is read, not written. Desired fields that the server stores in another spelling
(quantities, `stringData`) or drops are applied each time; the server swallows
that. A foreign object that appears between our last look and our first apply
is merged with, if no field clashes.
"""

from framework.apply.children import ChildInformer, ChildLister, OwnedChildren
from framework.apply.comparison import first_difference
from framework.apply.desired import Desired
from framework.apply.outcome import Child, Deed, Outcome
from framework.apply.ownership import CONTROLLER_INDEX, controller_uids, owner_reference
from framework.apply.references import Grant, References

__all__ = [
    "CONTROLLER_INDEX",
    "Child",
    "ChildInformer",
    "ChildLister",
    "Deed",
    "Desired",
    "Grant",
    "Outcome",
    "OwnedChildren",
    "References",
    "controller_uids",
    "first_difference",
    "owner_reference",
]
