"""Workers on Kubernetes: scripts, their releases, and what serves them.

Guarantees: groups, names and casing are those of upstream's documentation, so its manifests apply unchanged; whatever
is added is optional; a status requires nothing, so that a part of it can be written.
Not guaranteed: that a script can run: names, dates and URLs that only a controller can judge are admitted, and the
controller says what is wrong.
"""
