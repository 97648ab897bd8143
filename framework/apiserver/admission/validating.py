"""Validating webhooks: all at once, since none of them changes anything."""

from collections.abc import Sequence
from functools import partial

from framework.apiserver.admission.asking import Asker, Question, answer_failure
from framework.apiserver.admission.calling import CallFailed
from framework.runtime import Runtime


class _Outcome:
    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.error: Exception | None = None


class Validation:
    """Asks several webhooks in tasks of their own, so that the slowest decides how long it takes.

    The first objection in the order of the webhooks is raised; the real server raises that which comes first, which
    no test could rely on.
    """

    def __init__(self, asker: Asker, runtime: Runtime) -> None:
        self._asker = asker
        self._runtime = runtime

    def run(self, questions: Sequence[Question], warnings: list[str]) -> None:
        """Gather the *warnings* of all; raises the first objection after all have answered."""
        outcomes = [_Outcome() for _ in questions]
        work = [partial(self._ask, *pair) for pair in zip(questions, outcomes, strict=True)]
        # One of them has the caller's own task.
        tasks = [self._runtime.spawn("validating webhook", each) for each in work[1:]]
        for each in work[:1]:
            each()
        for task in tasks:
            task.join()
        warnings.extend(warning for outcome in outcomes for warning in outcome.warnings)
        for outcome in outcomes:
            if outcome.error is not None:
                raise outcome.error

    def _ask(self, question: Question, outcome: _Outcome) -> None:
        try:
            self._asker.ask(question, outcome.warnings)
        except CallFailed as failure:
            try:
                answer_failure(question.webhook, failure)
            except Exception as error:  # noqa: BLE001 - as below
                outcome.error = error
        except Exception as error:  # noqa: BLE001 - raised again in the task of the request
            outcome.error = error
