"""The table of contents of the API: every path, and what answers it."""

from controllers.cfapi.endpoints.absent import empty_list, refused
from controllers.cfapi.endpoints.accounts import AccountEndpoints
from controllers.cfapi.endpoints.deployments import DeploymentEndpoints
from controllers.cfapi.endpoints.scripts import ScriptEndpoints
from controllers.cfapi.endpoints.secrets import SecretEndpoints
from controllers.cfapi.endpoints.settings import SettingsEndpoints
from controllers.cfapi.endpoints.versions import VersionEndpoints
from controllers.cfapi.parts import Parts
from controllers.cfapi.router import Route

_ACCOUNT = "/accounts/{account}"
_WORKERS = f"{_ACCOUNT}/workers"
_SCRIPT = f"{_WORKERS}/scripts/{{script}}"
_WORKER = f"{_WORKERS}/workers/{{script}}"


def routes_of(parts: Parts) -> tuple[Route, ...]:
    accounts, scripts, settings = AccountEndpoints(parts), ScriptEndpoints(parts), SettingsEndpoints(parts)
    secrets, versions, deployments = SecretEndpoints(parts), VersionEndpoints(parts), DeploymentEndpoints(parts)
    return (
        Route("GET", "/user", accounts.user),
        Route("GET", "/user/tokens/verify", accounts.verify),
        Route("GET", "/memberships", accounts.memberships),
        Route("GET", "/accounts", accounts.list),
        Route("GET", _ACCOUNT, accounts.get),
        Route("GET", f"{_ACCOUNT}/tokens/verify", accounts.verify),
        Route("GET", f"{_WORKERS}/subdomain", accounts.subdomain),
        Route("PUT", f"{_WORKERS}/subdomain", accounts.set_subdomain),
        Route("GET", f"{_WORKERS}/services/{{script}}", scripts.service),
        Route("DELETE", f"{_WORKERS}/services/{{script}}", scripts.delete),
        Route("GET", _WORKER, settings.worker),
        Route("PATCH", _WORKER, settings.patch_worker),
        Route("PATCH", f"{_WORKER}/versions/latest", versions.patch_latest),
        Route("GET", f"{_WORKERS}/scripts", scripts.list),
        Route("PUT", _SCRIPT, scripts.upload),
        Route("DELETE", _SCRIPT, scripts.delete),
        Route("GET", f"{_SCRIPT}/settings", settings.get),
        Route("PATCH", f"{_SCRIPT}/settings", settings.patch),
        Route("GET", f"{_SCRIPT}/script-settings", settings.get_script_settings),
        Route("PATCH", f"{_SCRIPT}/script-settings", settings.patch_script_settings),
        Route("GET", f"{_SCRIPT}/subdomain", settings.get_subdomain),
        Route("POST", f"{_SCRIPT}/subdomain", settings.set_subdomain),
        Route("GET", f"{_SCRIPT}/secrets", secrets.list),
        Route("PUT", f"{_SCRIPT}/secrets", secrets.put),
        Route("GET", f"{_SCRIPT}/secrets/{{name}}", secrets.get),
        Route("DELETE", f"{_SCRIPT}/secrets/{{name}}", secrets.delete),
        Route("PATCH", f"{_SCRIPT}/secrets-bulk", secrets.bulk),
        Route("GET", f"{_SCRIPT}/versions", versions.list),
        Route("POST", f"{_SCRIPT}/versions", versions.upload),
        Route("GET", f"{_SCRIPT}/versions/{{version}}", versions.get),
        Route("GET", f"{_SCRIPT}/content/v2", versions.content),
        Route("GET", f"{_SCRIPT}/deployments", deployments.list),
        Route("POST", f"{_SCRIPT}/deployments", deployments.create),
        Route("GET", f"{_SCRIPT}/schedules", settings.schedules),
        Route("PUT", f"{_SCRIPT}/schedules", settings.set_schedules),
        Route("GET", f"{_SCRIPT}/references", scripts.references),
        Route("GET", f"{_WORKERS}/tails/by-consumer/{{script}}", empty_list),
        Route("GET", f"{_WORKERS}/durable_objects/namespaces", empty_list),
        Route("GET", f"{_ACCOUNT}/storage/kv/namespaces", empty_list),
        Route("POST", f"{_SCRIPT}/tails", refused("a tail")),
        Route("POST", f"{_SCRIPT}/assets-upload-session", refused("uploading assets")),
        Route("GET", f"{_SCRIPT}/routes", refused("a route")),
        Route("PUT", f"{_SCRIPT}/routes", refused("a route")),
        Route("POST", f"{_SCRIPT}/routes", refused("a route")),
        Route("GET", f"{_WORKERS}/domains/records", refused("a custom domain")),
        Route("PUT", f"{_WORKERS}/domains/records", refused("a custom domain")),
        Route("PUT", f"{_SCRIPT}/domains/records", refused("a custom domain")),
        Route("POST", f"{_SCRIPT}/domains/changeset", refused("a custom domain")),
        Route("GET", f"{_WORKERS}/dispatch/namespaces", refused("a dispatch namespace")),
        Route("POST", f"{_WORKERS}/dispatch/namespaces", refused("a dispatch namespace")),
        Route(
            "PUT", f"{_WORKERS}/dispatch/namespaces/{{namespace}}/scripts/{{script}}", refused("a dispatch namespace")
        ),
    )
