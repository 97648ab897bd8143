"""Validating, mutating and conversion webhooks, declared on a type.

Guarantees: handlers get typed objects and the deadline of the API server;
what a mutator does not change stays as it is, fields that its type does not
know included; whatever a handler raises becomes an answer of one line; what
is no review is refused with a Status; all limits of the server hold at any
load; reviews under way are answered when the process stops.
Not guaranteed: that a handler is asked once for each request, or that the
request succeeds after it; a handler must be free of side effects, or say so.
"""

from framework.errors import Denied
from framework.webhooks.admission_request import AdmissionRequest
from framework.webhooks.options import HookOptions, WebhookOptions
from framework.webhooks.webhooks import Webhooks
from framework.webhooks.wire import User

__all__ = ["AdmissionRequest", "Denied", "HookOptions", "User", "WebhookOptions", "Webhooks"]
