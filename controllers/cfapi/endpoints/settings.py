"""Settings of scripts: bindings and dates of the latest version, what belongs to no version, and being reachable."""

from typing import Any

import msgspec

from apis.cfworker.workerdeployment import WorkerDeployment
from controllers.cfapi import failure
from controllers.cfapi.envelope import Reply
from controllers.cfapi.form import parse_form
from controllers.cfapi.metadata import BindingInput
from controllers.cfapi.parts import Parts
from controllers.cfapi.references import incoming, outgoing
from controllers.cfapi.request import CfRequest, decoded
from controllers.cfapi.script_result import modified_on, script_result
from controllers.cfapi.settings import exposed_annotation, has_previews, is_exposed, merged_settings, settings_of
from controllers.cfapi.version import USAGE_MODEL, bindings_result
from controllers.cfapi.writer import Change
from controllers.workers.keys import SCRIPT_SETTINGS

_SETTINGS_PART = "settings"
_MOST_PARTS = 8


class Reachability(msgspec.Struct, frozen=True):
    enabled: bool | None = None
    previews_enabled: bool | None = None


class SettingsPatch(msgspec.Struct, frozen=True):
    bindings: list[BindingInput] | None = None


class Schedule(msgspec.Struct, frozen=True):
    cron: str


class SettingsEndpoints:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def get(self, request: CfRequest) -> Reply:
        return Reply(self._settings(request, self._deployment(request)))

    def patch(self, request: CfRequest) -> Reply:
        """Secrets are set; all that is a version's is left to uploads."""
        parts = parse_form(request.content_type, request.body, max_parts=_MOST_PARTS)
        part = next((part for part in parts if part.name == _SETTINGS_PART), None)
        if part is None:
            raise failure.bad_json(f"the form has no part {_SETTINGS_PART!r}")
        given = decoded(part.body, SettingsPatch).bindings or []
        values = {each.name: each.text for each in given if each.type == "secret_text" and each.text is not None}
        deployment = self._deployment(request)
        if values:
            self._parts.secrets.change(deployment, request.account_name, values)
        return Reply(self._settings(request, deployment))

    def get_script_settings(self, request: CfRequest) -> Reply:
        return Reply(settings_of(self._deployment(request)))

    def patch_script_settings(self, request: CfRequest) -> Reply:
        changes = request.json(dict[str, Any])
        return Reply(settings_of(self._change_settings(request, changes)))

    def get_subdomain(self, request: CfRequest) -> Reply:
        return Reply(_reachability(self._deployment(request)))

    def set_subdomain(self, request: CfRequest) -> Reply:
        wanted = request.json(Reachability)
        return Reply(_reachability(self._change_settings(request, {}, wanted)))

    def worker(self, request: CfRequest) -> Reply:
        return Reply(self._worker(request, self._deployment(request)))

    def patch_worker(self, request: CfRequest) -> Reply:
        changes = request.json(dict[str, Any])
        wanted = decoded(msgspec.json.encode(changes.pop("subdomain", None) or {}), Reachability)
        return Reply(self._worker(request, self._change_settings(request, changes, wanted)))

    def schedules(self, request: CfRequest) -> Reply:
        self._deployment(request)
        return Reply({"schedules": []})

    def set_schedules(self, request: CfRequest) -> Reply:
        self._deployment(request)
        if request.json(list[Schedule]):
            raise failure.unsupported("a schedule")
        return Reply({"schedules": []})

    def _deployment(self, request: CfRequest) -> WorkerDeployment:
        return self._parts.catalogue.get(request.account_name, request.script)

    def _change_settings(
        self, request: CfRequest, changes: dict[str, Any], reachability: Reachability | None = None
    ) -> WorkerDeployment:
        wanted = reachability or Reachability()

        def decide(deployment: WorkerDeployment) -> Change:
            enabled = is_exposed(deployment) if wanted.enabled is None else wanted.enabled
            text = merged_settings(deployment, changes, previews_enabled=wanted.previews_enabled)
            return Change(annotations={SCRIPT_SETTINGS: text, **exposed_annotation(is_exposed=enabled)})

        return self._parts.writer.change(request.account_name, request.script, decide)

    def _settings(self, request: CfRequest, deployment: WorkerDeployment) -> dict[str, Any]:
        template = deployment.spec.template
        secrets = self._parts.secrets.names(deployment, request.account_name)
        return {
            "bindings": bindings_result(template.bindings, secrets),
            "compatibility_date": template.compatibility_date,
            "compatibility_flags": list(template.compatibility_flags),
            "usage_model": USAGE_MODEL,
            "tags": settings_of(deployment)["tags"],
        }

    def _worker(self, request: CfRequest, deployment: WorkerDeployment) -> dict[str, Any]:
        catalogue, account, script = self._parts.catalogue, request.account_name, request.script
        return {
            **settings_of(deployment),
            "id": script,
            "name": script,
            "created_on": script_result(deployment)["created_on"],
            "updated_on": modified_on(deployment),
            "deployed_on": modified_on(deployment),
            "subdomain": _reachability(deployment),
            "references": {
                "workers": incoming(catalogue, account, script),
                "outgoing": outgoing(catalogue, account, script),
            },
        }


def _reachability(deployment: WorkerDeployment) -> dict[str, bool]:
    return {"enabled": is_exposed(deployment), "previews_enabled": has_previews(deployment)}
