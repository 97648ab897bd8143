"""Kinds of the group confidentialcontainers.org: pods whose workload runs in a VM of a cloud."""
