"""One upload: checked, stored, and named by the WorkerDeployment of its script."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec
import structlog

from apis.cfworker.script import Binding, BindingType
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerdeployment import ScriptTemplate, WorkerDeployment
from apis.meta import micro_time
from controllers.cfapi import failure
from controllers.cfapi.binding import BlobBinding, Previous, Resolved, resolve_bindings
from controllers.cfapi.catalogue import Catalogue, active_name
from controllers.cfapi.compatibility import checked_date, checked_flags
from controllers.cfapi.failure import CfError
from controllers.cfapi.form import parse_form
from controllers.cfapi.history import Deployed, history_of, with_entry
from controllers.cfapi.labels import labels_for
from controllers.cfapi.metadata import (
    METADATA_PART,
    BindingInput,
    Metadata,
    ParsedMetadata,
    annotations_of,
    parse_metadata,
)
from controllers.cfapi.module import Module, check_main_module, check_service_worker, modules_of
from controllers.cfapi.script_secrets import ScriptSecrets
from controllers.cfapi.settings import merged_settings
from controllers.cfapi.version_tag import VersionTag
from controllers.cfapi.writer import Change, DeploymentWriter
from controllers.scriptstorage.errors import StorageError
from controllers.scriptstorage.objects import ScriptObjects
from controllers.scriptstorage.script import (
    MANIFEST_VERSION,
    ScriptManifest,
    ScriptModule,
    StoredBinding,
    StoredScript,
    put_script,
)
from controllers.workers.keys import (
    DEPLOYMENTS,
    FAKE_CF_API,
    MESSAGE,
    SCRIPT_SETTINGS,
    STORAGE_OWNER,
    TAG,
    UPLOADED_AT,
)
from controllers.workers.names import script_secret_name
from framework.client import Client
from framework.clock import Clock
from framework.errors import WindlassError

_log = structlog.get_logger("windlass.cfapi")


class ScriptCheck(Protocol):
    def problem(self, script: str, modules: Sequence[ScriptModule], manifest: ScriptManifest) -> str | None:
        """Why workerd does not start with this script alone; None if it does."""


class UploadRequest(msgspec.Struct, frozen=True, kw_only=True):
    account: WorkerAccount
    script: str
    content_type: str
    body: bytes
    author_email: str
    # Whether the version is to serve at once; else the one that serves goes on.
    activate: bool


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """An upload that has passed every check, and is nowhere yet."""

    account: WorkerAccount
    script: str
    version_id: str
    uploaded_at: str
    modules: Sequence[ScriptModule]
    manifest: ScriptManifest
    resolved: Resolved
    annotations: Mapping[str, str]
    metadata: ParsedMetadata
    author_email: str
    activate: bool

    @property
    def account_name(self) -> str:
        return self.account.metadata.name

    @property
    def folder(self) -> str:
        return f"{self.account_name}/{self.script}/{self.version_id}"


class Uploaded(msgspec.Struct, frozen=True):
    version_id: str
    deployment: WorkerDeployment
    ignored: Sequence[str]


class UploadParts(msgspec.Struct, frozen=True, kw_only=True):
    client: Client
    catalogue: Catalogue
    writer: DeploymentWriter
    secrets: ScriptSecrets
    objects: ScriptObjects
    # None: scripts are looked at when they are built.
    check: ScriptCheck | None = None


class Uploads:
    def __init__(self, parts: UploadParts, *, clock: Clock, max_parts: int) -> None:
        self._client = parts.client
        self._catalogue = parts.catalogue
        self._writer = parts.writer
        self._secrets = parts.secrets
        self._objects = parts.objects
        self._check = parts.check
        self._clock = clock
        self._max_parts = max_parts

    def upload(self, request: UploadRequest) -> Uploaded:
        """Nothing of a refused upload stays; raises what to answer."""
        existing = self._catalogue.find(request.account.metadata.name, request.script)
        if existing is None and not request.activate:
            raise failure.worker_absent(request.script)
        parsed, modules = self._parts(request)
        draft = self._draft(request, existing, parsed, modules)
        if self._check is not None:
            self._preflight(self._check, draft)
        return self._store(draft)

    def again(
        self,
        request: UploadRequest,
        existing: WorkerDeployment,
        stored: StoredScript,
        *,
        changes: Sequence[BindingInput],
        gone: Sequence[str],
        annotations: Mapping[str, Any],
    ) -> Uploaded:
        """The code of *stored*, which is the latest version's, with *changes* of its environment."""
        manifest, template = stored.manifest, existing.spec.template
        left_out = {*gone, *(change.name for change in changes)}
        kept = [
            BindingInput(name=binding.name, type="inherit")
            for binding in template.bindings
            if binding.name not in left_out
        ]
        blobs = [
            BindingInput(name=blob.name, type=blob.type, part=blob.part)
            for blob in manifest.bindings
            if blob.part and blob.name not in left_out
        ]
        known = Metadata(
            main_module=manifest.main_module or None,
            body_part=manifest.body_part or None,
            bindings=[*kept, *blobs, *changes],
            compatibility_date=template.compatibility_date,
            compatibility_flags=template.compatibility_flags,
            annotations=dict(annotations),
        )
        draft = self._draft(request, existing, ParsedMetadata(known, {}, ()), stored.modules)
        uploaded = self._store(draft)
        plain = {binding.name for binding in template.bindings} | {blob.name for blob in manifest.bindings}
        if secrets := [name for name in gone if name not in plain]:
            self._secrets.change(existing, draft.account_name, dict.fromkeys(secrets))
        return uploaded

    def _store(self, draft: Draft) -> Uploaded:
        """Code first, its marker last, then the object that names it: whoever sees the one finds the other."""
        try:
            put_script(self._objects, f"{draft.folder}/", draft.modules, draft.manifest)
            deployment = self._write(draft)
        except (WindlassError, CfError):
            if not self._may_be_named(draft):
                self._clean_up(draft)
            raise
        return Uploaded(draft.version_id, deployment, draft.metadata.ignored)

    def _parts(self, request: UploadRequest) -> tuple[ParsedMetadata, list[ScriptModule]]:
        # The metadata is no module.
        parts = parse_form(request.content_type, request.body, max_parts=self._max_parts + 1)
        metadata = [part for part in parts if part.name == METADATA_PART]
        if len(metadata) != 1:
            raise failure.rejected(f"the form needs one part named {METADATA_PART!r}, and has {len(metadata)}")
        parsed = parse_metadata(metadata[0].body)
        modules = modules_of(part for part in parts if part.name != METADATA_PART)
        _check_entry(parsed, modules)
        return parsed, [module.script for module in modules]

    def _draft(
        self,
        request: UploadRequest,
        existing: WorkerDeployment | None,
        parsed: ParsedMetadata,
        modules: Sequence[ScriptModule],
    ) -> Draft:
        known, now = parsed.known, self._clock.now()
        annotations = annotations_of(known.annotations)
        version_id, uploaded_at = str(uuid.uuid4()), micro_time(now)
        tag = VersionTag(version_id, annotations.get(TAG, ""), uploaded_at)
        resolved = resolve_bindings(
            known.bindings or [], known.keep_bindings or [], self._previous(request, existing), tag
        )
        _check_blobs(resolved.blobs, modules, is_service_worker=bool(known.body_part))
        manifest = ScriptManifest(
            v=MANIFEST_VERSION,
            main_module=known.main_module or "",
            body_part=known.body_part or "",
            compatibility_date=checked_date(known.compatibility_date or "", now.date()),
            compatibility_flags=checked_flags(known.compatibility_flags or []),
            bindings=[*map(_stored_binding, resolved.bindings), *map(_stored_blob, resolved.blobs)],
        )
        return Draft(
            account=request.account,
            script=request.script,
            version_id=version_id,
            uploaded_at=uploaded_at,
            modules=modules,
            manifest=manifest,
            resolved=resolved,
            annotations=annotations,
            metadata=parsed,
            author_email=request.author_email,
            activate=request.activate,
        )

    def _previous(self, request: UploadRequest, existing: WorkerDeployment | None) -> Previous:
        if existing is None:
            return Previous()
        names = self._secrets.names(existing, request.account.metadata.name)
        return Previous(existing.spec.template.bindings, names)

    def _preflight(self, check: ScriptCheck, draft: Draft) -> None:
        problem = check.problem(draft.script, draft.modules, draft.manifest)
        if problem is not None:
            raise failure.rejected(problem)

    def _write(self, draft: Draft) -> WorkerDeployment:
        account, secrets = draft.account_name, draft.resolved.secrets

        def decide(there: WorkerDeployment | None) -> Change:
            if there is not None and secrets:
                # Before the version that needs them is active.
                self._secrets.change(there, account, secrets)
            return self._change(draft, there)

        deployment, is_new = self._writer.create_or_change(account, draft.script, decide)
        if is_new:
            self._give_secrets(deployment, account, secrets)
        return deployment

    def _give_secrets(self, deployment: WorkerDeployment, account: str, values: Mapping[str, str]) -> None:
        try:
            self._secrets.ensure(deployment, account, values)
        except (WindlassError, CfError):
            # Its code is about to be removed.
            self._client.delete(WorkerDeployment, deployment.metadata.key, uid=deployment.metadata.uid)
            raise

    def _change(self, draft: Draft, there: WorkerDeployment | None) -> Change:
        annotations: dict[str, str | None] = {
            MESSAGE: None,
            TAG: None,
            **draft.annotations,
            UPLOADED_AT: draft.uploaded_at,
            STORAGE_OWNER: FAKE_CF_API,
        }
        if draft.activate:
            history = [] if there is None else history_of(there)
            annotations[DEPLOYMENTS] = with_entry(history, self._entry(draft))
            if draft.metadata.settings:
                annotations[SCRIPT_SETTINGS] = merged_settings(there, draft.metadata.settings)
        return Change(
            template=self._template(draft),
            active_release=draft.version_id if draft.activate else _pinned(there),
            labels=labels_for(draft.account_name, draft.script, draft.account.spec.worker_release_selector),
            annotations=annotations,
        )

    def _entry(self, draft: Draft) -> Deployed:
        annotations = {"workers/triggered_by": "upload", **draft.annotations}
        return Deployed(
            str(uuid.uuid4()), draft.version_id, draft.uploaded_at, draft.author_email, annotations=annotations
        )

    def _template(self, draft: Draft) -> ScriptTemplate:
        return ScriptTemplate(
            script_name=draft.script,
            secret_ref=script_secret_name(draft.account_name, draft.script),
            compatibility_date=draft.manifest.compatibility_date,
            script_urls=[f"s3://{self._objects.bucket}/{draft.folder}"],
            compatibility_flags=list(draft.manifest.compatibility_flags),
            main_module=draft.manifest.main_module,
            bindings=draft.resolved.bindings,
            version_id=draft.version_id,
        )

    def _may_be_named(self, draft: Draft) -> bool:
        """Whether a WorkerDeployment may lead to this code: a write without an answer may have been made."""
        try:
            there = self._catalogue.find(draft.account_name, draft.script)
        except WindlassError:
            return True
        except CfError:
            return False
        return there is not None and there.spec.template.version_id == draft.version_id

    def _clean_up(self, draft: Draft) -> None:
        try:
            self._objects.delete_prefix(f"{draft.folder}/")
        except StorageError as error:
            # Nothing names what is left there, so nobody will ever run it.
            _log.warning("upload_left_objects", folder=draft.folder, error=str(error))


def _pinned(there: WorkerDeployment | None) -> str:
    """What serves now goes on serving."""
    name = "" if there is None else active_name(there)
    if not name:
        raise failure.unavailable("the version that is active has no release yet")
    return name


def _check_entry(parsed: ParsedMetadata, modules: Sequence[Module]) -> None:
    known = parsed.known
    if known.main_module:
        check_main_module(modules, known.main_module)
    elif known.body_part:
        check_service_worker(modules, known.body_part)


def _check_blobs(blobs: Sequence[BlobBinding], modules: Sequence[ScriptModule], *, is_service_worker: bool) -> None:
    names = {module.name for module in modules}
    for blob in blobs:
        if not is_service_worker:
            raise failure.rejected(f"binding {blob.name!r} is of a script with body_part; a module imports such a file")
        if blob.part not in names:
            raise failure.rejected(f"binding {blob.name!r} is to part {blob.part!r}, which is not there")


def _stored_binding(binding: Binding) -> StoredBinding:
    # What a version says of itself is plain data to whoever runs it.
    is_json = binding.type in {BindingType.JSON, BindingType.VERSION_METADATA}
    return StoredBinding(
        name=binding.name,
        type="json" if is_json else binding.type.value,
        text=binding.text,
        json=msgspec.json.decode(binding.json) if is_json and binding.json else None,
        service=binding.service,
        entrypoint=binding.entrypoint,
    )


def _stored_blob(blob: BlobBinding) -> StoredBinding:
    return StoredBinding(name=blob.name, type=blob.type, part=blob.part)
