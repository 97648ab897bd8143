"""The steps of a build as processes: flags in, exit code and termination message out."""

from collections.abc import Mapping
from typing import Any, TextIO

from controllers.ociregistry.credentials import RegistryCredentials
from controllers.ociregistry.options import RegistryOptions
from controllers.ociregistry.registry import ImageRegistry
from controllers.scriptstorage.connect import connect_storage
from controllers.scriptstorage.settings import StorageSettings
from controllers.workerbuild.bad_input import EXIT_BAD_INPUT, BadInput, Termination
from controllers.workerbuild.build import BuildOptions, build
from controllers.workerbuild.check import check
from controllers.workerbuild.fetch import fetch, read_plan
from controllers.workerbuild.flags import BUILD, CHECK, FETCH
from controllers.workerbuild.preflight import PreflightOptions
from controllers.workerbuild.termination import one_line, write_termination
from framework.errors import ConfigurationError, WindlassError
from framework.log import without_secrets

_EXIT_FAILED = 1
_NOT_CONFIGURED = "ConfigurationError"


def run_worker_step(options: Mapping[str, Any], stderr: TextIO) -> int:
    """The exit code: 0, 42 if the input is at fault, 1 if the next try may succeed. ConfigurationError is raised."""
    step = {FETCH: _fetch, CHECK: _check, BUILD: _build}[options["mode"]]
    try:
        ending, code = step(options), 0
    except BadInput as error:
        ending = Termination(ok=False, reason=error.reason, message=_said(error), failed_scripts=error.failed_scripts)
        code = EXIT_BAD_INPUT
    except ConfigurationError as error:
        _tell(options, Termination(ok=False, reason=_NOT_CONFIGURED, message=_said(error)))
        raise
    except (WindlassError, OSError) as error:
        ending, code = Termination(ok=False, reason=type(error).__name__, message=_said(error)), _EXIT_FAILED
    lines = [f"script {script.script_name}: {_said(script.message)}" for script in ending.failed_scripts]
    stderr.writelines(f"windlass: {line}\n" for line in lines or [ending.message] if not ending.ok)
    _tell(options, ending)
    return code


def _tell(options: Mapping[str, Any], ending: Termination) -> None:
    write_termination(options["termination-log"], ending)


def _said(error: Exception | str) -> str:
    return str(without_secrets(one_line(str(error))))


def _fetch(options: Mapping[str, Any]) -> Termination:
    plan, destination = _needed(options, "plan"), _needed(options, "destination")
    settings = storage_settings(options)
    settings.check()
    objects = connect_storage(settings)
    try:
        fetch(read_plan(plan), destination, options["base"], objects, settings)
    finally:
        objects.close()
    return Termination(ok=True)


def _check(options: Mapping[str, Any]) -> Termination:
    check(
        _needed(options, "context"),
        PreflightOptions(workerd=_needed(options, "workerd"), timeout_seconds=options["preflight-timeout"]),
    )
    return Termination(ok=True)


def _build(options: Mapping[str, Any]) -> Termination:
    config = options["docker-config"]
    registry = ImageRegistry(
        RegistryCredentials.load(config) if config else RegistryCredentials(),
        RegistryOptions(default_registry=options["default-registry"], insecure_registries=options["insecure-registry"]),
    )
    build_options = BuildOptions(
        context=_needed(options, "context"),
        target=str(_needed(options, "target")),
        base=options["base"],
        platform=options["platform"],
        workerd=options["workerd-layer"],
        default_registry=options["default-registry"],
    )
    return Termination(ok=True, image=build_options.target, digest=build(build_options, registry))


def storage_settings(options: Mapping[str, Any]) -> StorageSettings:
    return StorageSettings(
        bucket=options["s3-bucket"],
        allowed_buckets=options.get("allowed-buckets", ()),
        endpoint=options["s3-endpoint"],
        region=options["s3-region"],
    )


def _needed(options: Mapping[str, Any], name: str) -> Any:
    if not options[name]:
        raise ConfigurationError(f"-{name} is missing; -mode={options['mode']} needs it")
    return options[name]
