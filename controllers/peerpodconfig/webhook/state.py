"""What became of the roll-out."""

import msgspec


class WebhookState(msgspec.Struct, frozen=True):
    """*is_applied*: all that is ours to write is written; *is_ready*: pods are being mutated, or nobody wants that."""

    is_applied: bool
    is_ready: bool
    reason: str
    message: str
    # When time alone makes a look worthwhile: the next step of a rotation.
    look_again_seconds: float = 600.0
