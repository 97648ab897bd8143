"""A script as answers show it."""

from typing import Any

from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerdeployment import WorkerDeployment
from controllers.cfapi.settings import settings_of
from controllers.cfapi.version import HANDLERS, USAGE_MODEL, time_text
from controllers.workers.keys import UPLOADED_AT
from controllers.workers.names import LABEL_LENGTH, slug


def script_result(deployment: WorkerDeployment) -> dict[str, Any]:
    metadata, template = deployment.metadata, deployment.spec.template
    settings = settings_of(deployment)
    return {
        "id": template.script_name,
        "tag": metadata.uid.replace("-", ""),
        "tags": settings["tags"],
        "etag": template.version_id.replace("-", ""),
        "handlers": list(HANDLERS),
        "created_on": time_text(metadata.creation_timestamp),
        "modified_on": modified_on(deployment),
        "compatibility_date": template.compatibility_date,
        "compatibility_flags": list(template.compatibility_flags),
        "usage_model": USAGE_MODEL,
        "logpush": settings["logpush"],
        "tail_consumers": settings["tail_consumers"],
        # Any other word makes wrangler ask whether to overwrite somebody's edits.
        "last_deployed_from": "wrangler",
        "has_assets": False,
        "has_modules": bool(template.main_module),
    }


def modified_on(deployment: WorkerDeployment) -> str:
    uploaded = deployment.metadata.annotations.get(UPLOADED_AT, "")
    return uploaded or time_text(deployment.metadata.creation_timestamp)


def url_of(account: WorkerAccount, script: str, default_host: str) -> str | None:
    """Where the script will answer, as far as this cluster's Ingress decides; None: from inside only."""
    ingress = account.spec.ingress
    host = ingress.host or default_host
    if not ingress.enabled or not host:
        return None
    scheme = "https" if ingress.tls_secret_name else "http"
    if ingress.mode == "host":
        return f"{scheme}://{slug(script, LABEL_LENGTH)}.{host}/"
    return f"{scheme}://{host}/{script}/"
