"""Certificates for servers on this machine and for their clients, and the kubeconfig that names them.

Guarantees: files are private to the user, replaced as a whole, and used again
while they are whole, fit each other and are valid for long enough; what is not
is made anew. A look at files that are fine does not load `cryptography`.
Not guaranteed: that pairs handed out before the authority had to be made anew
still work; ask again for all of them after a restart.
"""

from framework.apiserver.certificates.folder import SERVER_HOSTS, CertificateFolder
from framework.apiserver.certificates.kubeconfig import client_certificate, write_kubeconfig
from framework.certificates.authority import Authority
from framework.certificates.key_pair import KeyPair, KeyPairFiles

__all__ = [
    "SERVER_HOSTS",
    "Authority",
    "CertificateFolder",
    "KeyPair",
    "KeyPairFiles",
    "client_certificate",
    "write_kubeconfig",
]
