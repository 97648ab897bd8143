"""Events: what a controller tells people about an object.

Guarantees: every field that events.k8s.io/v1 wants of a new event is there.
Not guaranteed: the deprecated fields of older event recorders; they are skipped.
"""
