"""TLS that trusts exactly one certificate."""

import hashlib
import ssl

_DIGESTS = {40: hashlib.sha1, 64: hashlib.sha256, 128: hashlib.sha512}


def pinned_context(thumbprint: str) -> ssl.SSLContext:
    """Every connection is checked, before a byte is sent in it; ValueError if *thumbprint* is none.

    pyVmomi's own pinning looks at the certificate of the first connection only, and only if its authority is unknown.
    """
    expected = thumbprint.replace(":", "").strip().lower()
    if len(expected) not in _DIGESTS or not set(expected) <= set("0123456789abcdef"):
        raise ValueError("no thumbprint of a certificate: 20, 32 or 64 bytes in hexadecimal, with or without colons")
    digest = _DIGESTS[len(expected)]

    class PinnedSocket(ssl.SSLSocket):
        def do_handshake(self, block: bool = False) -> None:  # noqa: FBT001, FBT002 - of the base class
            super().do_handshake(block)
            if digest(self.getpeercert(binary_form=True) or b"").hexdigest() != expected:
                raise ssl.SSLCertVerificationError("the certificate is not the one of the thumbprint")

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Neither who issued it nor what it is for matters: it is that certificate or it is not.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.sslsocket_class = PinnedSocket
    return context
