"""What can go wrong in the relay itself, and how a connection through it can end."""


class RelayError(Exception):
    """The test asks for something that the relay cannot do; raised by `wait_for`, `wait` and `close`."""


class Severed(Exception):
    """The connection ends now, with a reset."""


class PeerClosed(Exception):
    """One side closed; *side* is its wire."""

    def __init__(self, side: object) -> None:
        super().__init__("the peer closed the connection")
        self.side = side
