"""The API as a process: flags in, a manager that serves it."""

from collections.abc import Mapping
from typing import Any

from controllers.cfapi.flags import cf_api_options
from controllers.cfapi.preflight import WorkerdCheck
from controllers.cfapi.server import CfApi, serve_cf_api
from controllers.scriptstorage.connect import connect_storage
from controllers.workerbuild.modes import storage_settings
from controllers.workerbuild.preflight import PreflightOptions
from framework.errors import ConfigurationError
from framework.manager import Manager
from framework.runtime import Runtime


def check_cf_api_flags(options: Mapping[str, Any]) -> None:
    """Raise ConfigurationError before anything is contacted."""
    cf_api_options(options)
    storage_settings(options).check()
    workerd = options["workerd"]
    if workerd is not None and not workerd.is_file():
        raise ConfigurationError(f"-workerd: {workerd} is no file")


def host_cf_api(manager: Manager, options: Mapping[str, Any]) -> CfApi:
    """Have *manager* serve the API as *options* say."""
    objects = connect_storage(storage_settings(options))
    api = serve_cf_api(manager, cf_api_options(options), objects, _check(options, manager.runtime))
    # After the last request that uses it.
    manager.before_stop(lambda _seconds: objects.close())
    return api


def _check(options: Mapping[str, Any], runtime: Runtime) -> WorkerdCheck | None:
    workerd = options["workerd"]
    if workerd is None:
        return None
    timeout_seconds = options["preflight-timeout"]
    return WorkerdCheck(PreflightOptions(workerd=workerd.resolve(), timeout_seconds=timeout_seconds), runtime)
