"""The kinds that every Kubernetes API server has: their schemas, their discovery, their rules.

Guarantees: schemas and discovery are those of the real server; objects are stored as Go would write them, so that what
a client reads back does not depend on which of the two servers it wrote to; defaults, generations, immutable fields
and the checks that people meet have the real server's outcome and words.
Not guaranteed: the checks of rarely used fields (old volume types, Windows options, resource claims, affinity); the
rules of CustomResourceDefinitions beyond their schema; the expressions of match conditions.

Only schemas and discovery are loaded with the package; `kinds.strategies` has the rules.
"""

from framework.apiserver.builtin.definitions import definitions, described, descriptions
from framework.apiserver.builtin.resources import BuiltinResource, BuiltinSubresource, builtin_resources

__all__ = ["BuiltinResource", "BuiltinSubresource", "builtin_resources", "definitions", "described", "descriptions"]
