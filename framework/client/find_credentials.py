"""Where credentials are looked for, and in which order."""

from collections.abc import Mapping
from pathlib import Path

from framework.client.kubeconfig import from_kubeconfig
from framework.client.package_credentials import PackageCredentials
from framework.client.service_account import from_service_account
from framework.clock import Clock, SystemClock
from framework.errors import ConfigurationError


def find_credentials(
    *,
    environment: Mapping[str, str],
    home: Path,
    kubeconfig: str | None = None,
    master: str | None = None,
    clock: Clock | None = None,
) -> PackageCredentials:
    """The first of: *kubeconfig*, $KUBECONFIG, the in-cluster service account, ~/.kube/config."""
    clock = clock or SystemClock()
    default = home / ".kube" / "config"
    if kubeconfig:
        return from_kubeconfig(kubeconfig, master=master, clock=clock)
    if environment.get("KUBECONFIG"):
        return from_kubeconfig(environment["KUBECONFIG"], master=master, clock=clock)
    if environment.get("KUBERNETES_SERVICE_HOST"):
        return from_service_account(master=master, clock=clock)
    if default.is_file():
        return from_kubeconfig(str(default), master=master, clock=clock)
    raise ConfigurationError(
        "no cluster: -kubeconfig is not given, $KUBECONFIG is not set, there is no in-cluster service account "
        f"and {default} does not exist; give one of them "
        "or use -mode=standalone, which brings an API server of its own"
    )
