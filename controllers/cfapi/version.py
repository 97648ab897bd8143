"""The versions of a script: its releases, and the template that is no release yet."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from apis.cfworker.script import Binding, BindingType, Script
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease, WorkerReleaseSpec
from apis.meta import micro_time
from controllers.workers.keys import MESSAGE, REVISION, TAG, UPLOADED_AT

# Requests are the only events that reach a worker here.
HANDLERS = ("fetch",)
USAGE_MODEL = "standard"


class Version(msgspec.Struct, frozen=True):
    """*id* is that of the upload, or for a release that came another way its name."""

    id: str
    number: int
    created_on: str
    script: Script
    annotations: Mapping[str, str]
    release_name: str = ""

    def is_named(self, name: str) -> bool:
        return bool(name) and name in {self.id, self.release_name}

    def as_result(self, author_email: str = "") -> dict[str, Any]:
        metadata = {
            "created_on": self.created_on,
            "modified_on": self.created_on,
            "source": "wrangler",
            "author_email": author_email,
            "has_preview": False,
        }
        return {"id": self.id, "number": self.number, "metadata": metadata, "annotations": dict(self.annotations)}

    def with_resources(self, secret_names: Sequence[str], author_email: str = "") -> dict[str, Any]:
        script = self.script
        resources = {
            "script": {"etag": self.etag, "handlers": list(HANDLERS), "last_deployed_from": "wrangler"},
            "script_runtime": {
                "compatibility_date": script.compatibility_date,
                "compatibility_flags": list(script.compatibility_flags),
                "usage_model": USAGE_MODEL,
            },
            "bindings": bindings_result(script.bindings, secret_names),
        }
        return {**self.as_result(author_email), "resources": resources}

    @property
    def etag(self) -> str:
        """Versions never change, and no two have the same id."""
        return self.id.replace("-", "")


def versions_of(deployment: WorkerDeployment, releases: Sequence[WorkerRelease]) -> list[Version]:
    """Newest first."""
    versions = sorted((_of_release(release) for release in releases), key=lambda version: -version.number)
    template = deployment.spec.template
    if template.version_id and not any(version.id == template.version_id for version in versions):
        number = versions[0].number + 1 if versions else 1
        versions.insert(0, _of_template(deployment, number))
    return versions


def bindings_result(bindings: Sequence[Binding], secret_names: Sequence[str]) -> list[dict[str, Any]]:
    return [*map(_binding_result, bindings), *({"name": name, "type": "secret_text"} for name in secret_names)]


def time_text(at: datetime | None) -> str:
    return micro_time(at) if at else ""


def _of_release(release: WorkerRelease) -> Version:
    metadata = release.metadata
    revision = metadata.annotations.get(REVISION, "")
    return Version(
        id=release.spec.version_id or metadata.name,
        number=int(revision) if revision.isascii() and revision.isdigit() else 0,
        created_on=time_text(metadata.creation_timestamp),
        script=_script_of(release.spec),
        annotations=_annotations(metadata.annotations),
        release_name=metadata.name,
    )


def _of_template(deployment: WorkerDeployment, number: int) -> Version:
    annotations, template = deployment.metadata.annotations, deployment.spec.template
    return Version(
        id=template.version_id,
        number=number,
        created_on=annotations.get(UPLOADED_AT, ""),
        script=template,
        annotations=_annotations(annotations),
    )


def _script_of(spec: WorkerReleaseSpec) -> Script:
    return Script(
        script_name=spec.script_name or "",
        secret_ref=spec.secret_ref,
        compatibility_date=spec.compatibility_date,
        script_urls=spec.script_urls,
        compatibility_flags=spec.compatibility_flags,
        main_module=spec.main_module,
        bindings=spec.bindings,
        version_id=spec.version_id,
    )


def _annotations(annotations: Mapping[str, str]) -> dict[str, str]:
    return {name: annotations[name] for name in (MESSAGE, TAG) if name in annotations}


def _binding_result(binding: Binding) -> dict[str, Any]:
    result: dict[str, Any] = {"name": binding.name, "type": binding.type.value}
    if binding.type is BindingType.PLAIN_TEXT:
        result["text"] = binding.text
    elif binding.type is BindingType.JSON:
        result["json"] = _value_of(binding.json)
    elif binding.type is BindingType.SERVICE:
        result["service"] = binding.service
        if binding.entrypoint:
            result["entrypoint"] = binding.entrypoint
    return result


def _value_of(text: str) -> Any:
    """None for what is no JSON: others than this API write bindings too."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None
