"""The verbs of the API on one resource: get, list, watch, create, update, patch, delete.

Guarantees: what the real server's generic registry does, in its order: decode, prune, default, ownership of fields,
mutating admission, preparation, validation, validating admission, conditional write.
Not guaranteed: who may do it; that was decided before.
"""
