"""What a WorkerRelease is made of: one script, or one for each entry of an account."""

from collections.abc import Iterator
from datetime import datetime

from apis.cfworker.workerdeployment import ScriptTemplate
from apis.cfworker.workerrelease import WorkerReleaseSpec
from controllers.workers.script_rules import InvalidInput, NormalScript, ScriptRules, check_account_name, normalised


def script_of_template(template: ScriptTemplate, rules: ScriptRules, now: datetime) -> NormalScript:
    """Raise InvalidInput."""
    return normalised(
        NormalScript(
            script_name=template.script_name,
            secret_ref=template.secret_ref,
            compatibility_date=template.compatibility_date,
            script_urls=template.script_urls or template.scripts_urls,
            compatibility_flags=template.compatibility_flags,
            main_module=template.main_module,
            bindings=template.bindings,
            version_id=template.version_id,
        ),
        rules,
        now,
    )


def scripts_of_release(spec: WorkerReleaseSpec, rules: ScriptRules, now: datetime) -> list[NormalScript]:
    """Raise InvalidInput."""
    return [normalised(script, rules, now) for script in _scripts(spec)]


def _scripts(spec: WorkerReleaseSpec) -> Iterator[NormalScript]:
    if spec.script_name is not None:
        yield NormalScript(
            script_name=spec.script_name,
            secret_ref=spec.secret_ref,
            compatibility_date=spec.compatibility_date,
            script_urls=spec.script_urls,
            compatibility_flags=spec.compatibility_flags,
            main_module=spec.main_module,
            bindings=spec.bindings,
            version_id=spec.version_id,
        )
        return
    check_account_name(spec.accounts)
    if not spec.worker_versions:
        raise InvalidInput("InvalidScriptUrl", "workerVersions names no script")
    for name, url in sorted(spec.worker_versions.items()):
        yield NormalScript(script_name=name, compatibility_date="", script_urls=[url])
