"""Certificates: made, kept in a Secret, rotated, trusted, shown.

Guarantees: replicas agree on one Secret by conditional writes; everything that
any replica shows was issued by an authority in the bundle that the API server
was told, at any time of a rotation and after a crash at any of its writes; a
certificate that does not fit its key is never shown, and the last one that
did stays; a settled service writes nothing; keys are in the Secret and in
memory, in no log, event or file. `cryptography` is loaded by those who issue
or read a certificate.
Not guaranteed: service for clients that were told nothing, or that were told
later than `trust_seconds`; see `options`.
"""

from framework.certificates.options import CertificateOptions

__all__ = ["CertificateOptions"]
