"""The service account that Kubernetes gives to a pod."""

from typing import Any

from framework.client.package_config import incluster_config
from framework.client.package_credentials import Loaded, PackageCredentials, address_of, bypassed_hosts, one_line
from framework.clock import Clock
from framework.errors import ConfigurationError


def from_service_account(*, master: str | None = None, clock: Clock) -> PackageCredentials:
    return PackageCredentials(lambda: _load(master), clock)


def _load(master: str | None) -> Loaded:
    package = incluster_config()
    configuration: Any = package.Configuration()
    try:
        package.load_incluster_config(client_configuration=configuration)
        address = address_of(configuration, master, no_proxy=bypassed_hosts(configuration))
    except (package.ConfigException, OSError) as error:
        raise ConfigurationError(f"in-cluster service account: {one_line(error)}") from None
    return Loaded(configuration, address)
