"""Applications on many clusters: what a tenant, a platform and a cluster look like to the API server.

Guarantees: names, casing, enums and defaults are those of laf, so its manifests apply unchanged; no root object
requires `spec`, and none loses it again; a status requires nothing, so that a part of it can be written.
Not guaranteed: that an inline bundle or runtime of an Instance is valid: the schema
leaves it open, and the controller judges.
"""
