"""What an account says of its scripts."""

from apis.cfworker.workeraccount import ComposedWorker, WorkerAccount
from apis.meta import KubeObject
from controllers.workers.keys import ACCOUNTS


def account_name(obj: KubeObject) -> str:
    """The account that a WorkerDeployment is of: its label, else its name."""
    return obj.metadata.labels.get(ACCOUNTS) or obj.metadata.name


def worker_of(account: WorkerAccount, script: str) -> ComposedWorker | None:
    return next((each for each in account.status.workers if each.script_name == script), None)


def serving_releases(account: WorkerAccount) -> dict[str, str]:
    """By script."""
    return {each.script_name: each.serving_release for each in account.status.workers if each.serving_release}
