"""Talks to one API server: authentication, HTTP by libcurl, typed reads and writes, errors by reason.

Guarantees: a Status error becomes the exception of `framework.errors` that
fits its reason; reads and refused requests are sent again, a write whose
answer was lost never is; every phase of a request has a time limit.
Not guaranteed: that a write which raised TransportError was not applied.
"""

from framework.client.client import Access, Client, Kind, Observer
from framework.client.codec import Codec, Codecs
from framework.client.connection import Call, Connection
from framework.client.credentials import ClusterAddress, Credentials, StaticCredentials
from framework.client.factory import connect
from framework.client.kubeconfig import find_credentials, from_kubeconfig, from_service_account
from framework.client.metrics import RestClientMetrics
from framework.client.transport import Cancellation, HttpRequest, HttpResponse, Timeouts, Transport

__all__ = [
    "Access",
    "Call",
    "Cancellation",
    "Client",
    "ClusterAddress",
    "Codec",
    "Codecs",
    "Connection",
    "Credentials",
    "HttpRequest",
    "HttpResponse",
    "Kind",
    "Observer",
    "RestClientMetrics",
    "StaticCredentials",
    "Timeouts",
    "Transport",
    "connect",
    "find_credentials",
    "from_kubeconfig",
    "from_service_account",
]
