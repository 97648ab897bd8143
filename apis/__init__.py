"""The types of every resource, one Struct per kind and version."""
