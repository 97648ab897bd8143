"""Scripts: uploads that are active at once, lists, deletion, and the services that wrangler takes them for."""

from collections.abc import Sequence
from typing import Any

from apis.cfworker.workerdeployment import WorkerDeployment
from controllers.cfapi import failure
from controllers.cfapi.envelope import Reply
from controllers.cfapi.parts import Parts
from controllers.cfapi.references import incoming, outgoing
from controllers.cfapi.request import CfRequest
from controllers.cfapi.script_result import modified_on, script_result, url_of
from controllers.cfapi.upload import Uploaded, UploadRequest
from framework.errors import NotFound

ENVIRONMENT = "production"


class ScriptEndpoints:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def list(self, request: CfRequest) -> Reply:
        deployments = self._parts.catalogue.deployments(request.account_name)
        return Reply([script_result(deployment) for deployment in deployments], is_page=True)

    def upload(self, request: CfRequest) -> Reply:
        """Upload, and have it serve."""
        uploaded = self._parts.uploads.upload(upload_request(request, activate=True))
        self._parts.arrivals.wait_for(uploaded.version_id, self._parts.options.release_wait_seconds)
        template = uploaded.deployment.spec.template
        result = {
            **script_result(uploaded.deployment),
            "deployment_id": uploaded.version_id.replace("-", ""),
            "startup_time_ms": 0,
            "entry_point": template.main_module or None,
            "pipeline_hash": None,
            "mutable_pipeline_id": None,
        }
        return Reply(result, messages=[*ignored_messages(uploaded), *self._where(request)])

    def delete(self, request: CfRequest) -> Reply:
        parts, script = self._parts, request.script
        deployment = parts.catalogue.find(request.account_name, script)
        if deployment is None:
            raise failure.service_absent(script)
        users = [] if request.is_set("force") else incoming(parts.catalogue, request.account_name, script)
        if users:
            names = ", ".join(sorted({user["service"] for user in users}))
            message = f"Worker {script} is bound by {names}; delete those bindings first, or delete it with force"
            raise failure.CfError(400, failure.WORKER_IN_USE, message)
        self._delete(deployment)
        return Reply(None)

    def service(self, request: CfRequest) -> Reply:
        deployment = self._parts.catalogue.find(request.account_name, request.script)
        if deployment is None:
            raise failure.service_absent(request.script)
        environment = {
            "environment": ENVIRONMENT,
            "created_on": script_result(deployment)["created_on"],
            "modified_on": modified_on(deployment),
            "script": script_result(deployment),
        }
        result = {"id": request.script, "default_environment": environment, "environments": [environment]}
        return Reply(result)

    def references(self, request: CfRequest) -> Reply:
        catalogue, account = self._parts.catalogue, request.account_name
        catalogue.get(account, request.script)
        services: dict[str, Any] = {
            "incoming": incoming(catalogue, account, request.script),
            "outgoing": outgoing(catalogue, account, request.script),
            "pages_function": False,
        }
        return Reply({"services": services})

    def _delete(self, deployment: WorkerDeployment) -> None:
        metadata = deployment.metadata
        try:
            self._parts.client.delete(WorkerDeployment, metadata.key, uid=metadata.uid, propagation="Background")
        except NotFound:
            return

    def _where(self, request: CfRequest) -> Sequence[str]:
        url = url_of(request.account, request.script, self._parts.options.ingress_host)
        return [f"once built, {request.script} answers at {url}"] if url else []


def upload_request(request: CfRequest, *, activate: bool) -> UploadRequest:
    return UploadRequest(
        account=request.account,
        script=request.script,
        content_type=request.content_type,
        body=request.body,
        author_email=request.identity.email,
        activate=activate,
    )


def ignored_messages(uploaded: Uploaded) -> list[str]:
    if not uploaded.ignored:
        return []
    return [f"these settings have no effect on this platform: {', '.join(uploaded.ignored)}"]
