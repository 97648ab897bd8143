"""What the controllers of workers, their build tools and their HTTP API agree upon: names, rules, the build plan.

Guarantees: pure functions of values; the same input gives the same names and hashes everywhere.
Not guaranteed: anything about a cluster: nothing here reads or writes one.
"""
