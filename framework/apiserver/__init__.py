"""A Kubernetes API server in one process: in memory or on SQLite, called as a function or over HTTPS.

Guarantees: names, fields, errors, events and their order as the real kube-apiserver has them, as far as
`tests/conformance` compares them; what is not supported answers 501 and says so; a write is answered only when it is
committed, and with a journal only when it is on the disk; without `http` and `controllers` it has no threads.
Not guaranteed: more than one replica, HTTP/2, streaming into containers, performance beyond one processor.

`server.ApiServer` is the server, `in_process.in_process_client` a client without sockets, `embedded.EmbeddedServer` all
of it on a port. This package imports none of them: each part loads what it needs.
"""
