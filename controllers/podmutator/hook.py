"""The mutator as one of the hooks that `framework.webhooks` serves."""

from collections.abc import Mapping
from typing import Any

import msgspec

from controllers.podmutator.metrics import MutatorMetrics
from controllers.podmutator.mutator import PATH, NotAReview, PodMutator
from controllers.podmutator.review import decode_review
from framework.webhooks.metrics import WebhookMetrics
from framework.webhooks.wire import bad_review


class MutatorHook:
    path = PATH

    def __init__(self, mutator: PodMutator, metrics: MutatorMetrics) -> None:
        self._mutator = mutator
        self._metrics = metrics

    def answer(self, body: bytes, metrics: WebhookMetrics) -> bytes:  # noqa: ARG002 - the mutator counts for itself
        """Raises BadRequest for what is no AdmissionReview."""
        try:
            answered = self._mutator.handle(decode_review(body))
        except (NotAReview, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self._metrics.reviewed("invalid")
            raise bad_review(f"the body is no AdmissionReview: {error}") from None
        self._metrics.reviewed(_result(answered["response"]))
        return msgspec.json.encode(answered)


def _result(response: Mapping[str, Any]) -> str:
    if not response["allowed"]:
        return "refused"
    return "mutated" if "patch" in response else "unchanged"
