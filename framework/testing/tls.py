"""TLS of connections to servers that may go away at any moment."""

import ssl


class AbandonedSocket(ssl.SSLSocket):
    """Closes itself when nobody holds it any more.

    `SSLContext.wrap_socket` loses the socket that it has just made, unclosed, if the peer has reset the connection
    before it: nobody else could close it, and Python warns of it in whichever test runs at that moment.
    """

    def __del__(self) -> None:
        self.close()


def for_mortal_servers(context: ssl.SSLContext) -> ssl.SSLContext:
    """Return *context*, which makes such sockets from now on."""
    context.sslsocket_class = AbandonedSocket
    return context
