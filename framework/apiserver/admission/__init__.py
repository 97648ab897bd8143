"""Admission: namespace and service account rules, and webhooks that are called for real.

Guarantees: which webhooks are called, in which order, with which review and
in which version, is as on the real server; so are refusals, and what
failurePolicy makes of a webhook that fails; a webhook is believed only with
a certificate that its caBundle vouches for; without configurations a write
costs a few look-ups.
Not guaranteed: what follows `Post "URL":` in the message about a webhook
that cannot be reached, beyond the usual failures; admission policies in CEL;
quotas, limit ranges, priorities and the other built-in plugins.

Only what the rest of the server talks about is loaded with the package; `admission` has the rules.
"""

from framework.apiserver.admission.calling import Caller, CallFailed, LazyCaller, ResolveService
from framework.apiserver.admission.request import AdmissionRequest, GroupVersionKind

__all__ = ["AdmissionRequest", "CallFailed", "Caller", "GroupVersionKind", "LazyCaller", "ResolveService"]
