"""Moves RequestStates on: the director decides which job is requested next, the worker does the jobs.

Guarantees: every STARTED, COMPLETED and FAILED is in the history exactly once,
wherever a process dies; at most one worker writes for a job at a time.
Not guaranteed: that a job runs once; after a crash it runs again.
"""
