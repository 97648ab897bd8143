"""Serves a `Handler` over HTTP/1.1, with or without TLS.

Guarantees: every request that is answered gets exactly one answer, in the
order of the requests of its connection; what is no HTTP, or too large, too
slow or too much, gets a `Status` or the end of the connection, and costs
bounded memory; a client that stops reading holds up nobody else and is
dropped; `stop` lets requests finish and ends watches with a whole body.
Not guaranteed: HTTP/2 and WebSockets, which clients must do without; an
answer for a client whose certificate is not of the authority (its handshake
fails, where the real server answers 401).

Nothing is imported here: `exchange` says what a handler is without loading
asyncio, which only `server` needs.
"""
