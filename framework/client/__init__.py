"""Talks to one API server: authentication, HTTP by libcurl, typed reads and writes, errors by reason.

Guarantees: a Status error becomes the exception of `framework.errors` that
fits its reason; reads and refused requests are sent again, a write that may
have reached the server never is; every phase of a request has a time limit;
rotated tokens, certificates and authorities are used without a restart; a
name can only lead to the object of that name; a write inside the scope of a
fence is not sent once the fence is over.
Not guaranteed: that a write which raised TransportError was not applied,
unless it is a ConnectError or TlsError.
"""

from framework.client.call import Call
from framework.client.cancellation import Cancellation
from framework.client.client import Client, Kind
from framework.client.codec import Codec, Codecs
from framework.client.connection import Connection
from framework.client.credentials import ClusterAddress, Credentials, StaticCredentials
from framework.client.factory import connect
from framework.client.fence import Fence, bind_fence, current_fence
from framework.client.find_credentials import find_credentials
from framework.client.kubeconfig import from_kubeconfig
from framework.client.metrics import RestClientMetrics
from framework.client.observer import Access, Observer
from framework.client.sender import Sender
from framework.client.service_account import from_service_account
from framework.client.transport import HttpRequest, HttpResponse, Timeouts, Transport

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
    "Fence",
    "HttpRequest",
    "HttpResponse",
    "Kind",
    "Observer",
    "RestClientMetrics",
    "Sender",
    "StaticCredentials",
    "Timeouts",
    "Transport",
    "bind_fence",
    "connect",
    "current_fence",
    "find_credentials",
    "from_kubeconfig",
    "from_service_account",
]
