"""Notes the requests of a reconcile in its run."""

from framework.client import Access, Observer
from framework.journal.call import answered_call, failed_call
from framework.journal.run import current_run


class JournalObserver(Observer):
    @property
    def is_interested(self) -> bool:
        return current_run() is not None

    def answered(self, access: Access, answer: bytes) -> None:
        run = current_run()
        if run is not None:
            run.note(answered_call(access, answer))

    def failed(self, access: Access, error: Exception) -> None:
        run = current_run()
        if run is not None:
            run.note(failed_call(access, error))
