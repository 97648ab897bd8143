"""Requests that a director moves from job to job and workers carry out.

Guarantees: the server itself refuses a transition that the flow does not have.
Not guaranteed: that `status.history` is complete; a user may edit the status.
"""
