"""A client of the HTTP API that container registries speak (OCI distribution, Docker registry v2).

Guarantees: every request has timeouts and is sent once, a fault is the caller's to repeat; credentials go to the
registry they belong to and, for a token, to where that registry says; plain HTTP only to loopback or a registry that
was named as insecure; what is read by digest has that digest. A fault that passes (`RegistryUnavailable`) is told from
a refusal (`RegistryRefused`) and from a registry that does not delete (`DeleteDisabled`).
Not guaranteed: that what was deleted frees space, which is the registry's own garbage collection.
"""
