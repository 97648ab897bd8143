"""Versions: uploads that do not serve until they are deployed."""

import uuid
from typing import Any

import msgspec

from apis.cfworker.workerdeployment import WorkerDeployment
from controllers.cfapi import failure
from controllers.cfapi.endpoints.scripts import ignored_messages, upload_request
from controllers.cfapi.envelope import Reply
from controllers.cfapi.history import history_of
from controllers.cfapi.metadata import BindingInput
from controllers.cfapi.module import content_type_of
from controllers.cfapi.parts import Parts
from controllers.cfapi.request import CfRequest
from controllers.cfapi.upload import Uploaded
from controllers.cfapi.version import Version
from controllers.scriptstorage.script import StoredScript, read_script
from controllers.scriptstorage.url import InvalidScriptUrl, parse_script_url
from framework.http.exchange import Answer


class EnvEntry(msgspec.Struct, frozen=True):
    type: str
    text: str | None = None
    json: Any = None
    service: str | None = None
    entrypoint: str | None = None

    def __repr__(self) -> str:
        return f"EnvEntry({self.type!r})"


class LatestPatch(msgspec.Struct, frozen=True):
    """A merge patch: None takes a name away, and what is not named stays."""

    env: dict[str, EnvEntry | None] = {}
    annotations: dict[str, Any] = {}


class VersionEndpoints:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def list(self, request: CfRequest) -> Reply:
        deployment = self._deployment(request)
        authors = _authors(deployment)
        versions = self._parts.catalogue.versions(deployment)
        return Reply({"items": [version.as_result(authors.get(version.id, "")) for version in versions]})

    def get(self, request: CfRequest) -> Reply:
        deployment = self._deployment(request)
        version = self._parts.catalogue.version(deployment, request.parameters["version"])
        return Reply(self._whole(request, deployment, version))

    def upload(self, request: CfRequest) -> Reply:
        return self._uploaded(request, self._parts.uploads.upload(upload_request(request, activate=False)))

    def patch_latest(self, request: CfRequest) -> Reply:
        """A new version of the same code, with another environment."""
        patch = request.json(LatestPatch)
        deployment = self._deployment(request)
        latest = self._parts.catalogue.versions(deployment)[:1]
        if not latest:
            raise failure.CfError(404, failure.NO_VERSIONS, f"Worker {request.script} has no versions")
        changes = [_binding_input(name, entry) for name, entry in patch.env.items() if entry is not None]
        gone = [name for name, entry in patch.env.items() if entry is None]
        uploaded = self._parts.uploads.again(
            upload_request(request, activate=False),
            deployment,
            self._code(latest[0]),
            changes=changes,
            gone=gone,
            annotations=patch.annotations,
        )
        return self._uploaded(request, uploaded)

    def content(self, request: CfRequest) -> Answer:
        """The modules of a version, as they were uploaded."""
        deployment = self._deployment(request)
        catalogue = self._parts.catalogue
        wanted = request.query.get("version", "")
        versions = catalogue.versions(deployment)
        if not wanted and not versions:
            raise failure.CfError(404, failure.NO_VERSIONS, f"Worker {request.script} has no versions")
        stored = self._code(catalogue.version(deployment, wanted) if wanted else versions[0])
        boundary = uuid.uuid4().hex
        headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "cf-entrypoint": stored.manifest.main_module or stored.manifest.body_part,
        }
        return Answer(200, headers, _form(stored, boundary))

    def _deployment(self, request: CfRequest) -> WorkerDeployment:
        return self._parts.catalogue.get(request.account_name, request.script)

    def _uploaded(self, request: CfRequest, uploaded: Uploaded) -> Reply:
        self._parts.arrivals.wait_for(uploaded.version_id, self._parts.options.release_wait_seconds)
        version = self._parts.catalogue.version(uploaded.deployment, uploaded.version_id)
        result = {**self._whole(request, uploaded.deployment, version), "startup_time_ms": 0}
        return Reply(result, messages=ignored_messages(uploaded))

    def _whole(self, request: CfRequest, deployment: WorkerDeployment, version: Version) -> dict[str, Any]:
        secrets = self._parts.secrets.names(deployment, request.account_name)
        return version.with_resources(secrets, _authors(deployment).get(version.id, ""))

    def _code(self, version: Version) -> StoredScript:
        urls = version.script.script_urls
        stored = None
        if len(urls) == 1:
            try:
                url = parse_script_url(urls[0], self._parts.objects.bucket)
            except InvalidScriptUrl as error:
                raise failure.rejected(str(error)) from None
            # Only what was uploaded here: a bucket that somebody else named may be anybody's.
            if url.bucket == self._parts.objects.bucket:
                stored = read_script(self._parts.objects, url.prefix)
        if stored is None:
            raise failure.unsupported(f"reading the code of version {version.id!r}, which was not uploaded here,")
        return stored


def _authors(deployment: WorkerDeployment) -> dict[str, str]:
    return {entry.version_id: entry.author_email for entry in history_of(deployment)}


def _binding_input(name: str, entry: EnvEntry) -> BindingInput:
    return BindingInput(name=name, **msgspec.structs.asdict(entry))


def _form(stored: StoredScript, boundary: str) -> bytes:
    body = bytearray()
    for module in stored.modules:
        content_type = content_type_of(module, is_body=module.name == stored.manifest.body_part)
        quoted = module.name.replace('"', "%22")
        body += (
            f'--{boundary}\r\nContent-Disposition: form-data; name="{quoted}"; filename="{quoted}"\r\n'
            f"Content-Type: {content_type}\r\n\r\n"
        ).encode()
        body += module.content + b"\r\n"
    return bytes(body + f"--{boundary}--\r\n".encode())
