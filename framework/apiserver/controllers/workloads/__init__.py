"""Workloads without machines: pods are made, placed, marked as running and removed, so that a person sees things move.

Guarantees: the end state, with status and conditions, is that of the real controllers with kubelets whose containers
start at once, never fail and end when they are told to; pods of Jobs succeed as soon as they have started.
Not guaranteed: the steps in between; resource requests, affinity between pods, volumes and quotas, which are not
looked at; CronJobs, which have no controller here; Events.
"""
