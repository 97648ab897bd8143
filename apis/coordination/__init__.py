"""Leases: who holds what, and until when.

Guarantees: times are text with six digits of fraction, which is all that the server accepts.
Not guaranteed: that clocks agree; judge expiry by how long you saw a lease unchanged.
"""
