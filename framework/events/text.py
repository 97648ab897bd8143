"""Texts that the API server accepts and everybody may read."""

from framework.log import without_secrets

# Limits of the API server; it counts bytes.
LONGEST_NOTE = 1024
LONGEST_WORD = 128
# The search for credentials takes a time that may grow with the square of the text, and a reconcile waits for it:
# a little more than is shown, so that a credential at the cut is seen as one.
_LONGEST_SEARCHED = LONGEST_NOTE + 256


def shortened(text: str, longest: int) -> str:
    """*text* in at most *longest* bytes, none of its characters cut in two."""
    encoded = text.encode("utf-8", "replace")
    return encoded[:longest].decode("utf-8", "ignore")


def public_note(note: str) -> str:
    """*note* without what looks like a credential, not longer than the server allows."""
    # Cut last: half a credential may not look like one any more.
    return shortened(str(without_secrets(note[:_LONGEST_SEARCHED])), LONGEST_NOTE)
