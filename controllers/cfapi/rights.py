"""What the API must be allowed to do in its namespace."""

from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from apis.core.v1 import Secret
from apis.meta import resource_type_of
from framework.rights import Right

CF_API = "cf-api"
CF_API_RIGHTS = (
    *(Right(verb, resource_type_of(WorkerDeployment)) for verb in ("get", "list", "create", "patch", "delete")),
    *(Right(verb, resource_type_of(WorkerRelease)) for verb in ("list", "watch")),
    # Patched to set the subdomain.
    *(Right(verb, resource_type_of(WorkerAccount)) for verb in ("list", "watch", "patch")),
    *(Right(verb, resource_type_of(Secret)) for verb in ("get", "list", "watch", "create", "patch", "delete")),
    # Secrets are owned by WorkerDeployments in a way that blocks the owner's deletion.
    Right("update", resource_type_of(WorkerDeployment), "finalizers"),
)
