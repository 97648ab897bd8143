"""Two modules of `kubernetes.config`, without the generated client that the package loads around them.

Importing any part of `kubernetes` loads all of it: more than a thousand modules, mostly models that nothing here uses,
and half of the time until a process is ready. Therefore these two are imported with bare packages in the place of
`kubernetes`, `kubernetes.client` and `kubernetes.config`: with their folders, without what their `__init__` imports.
Then everything is as before: who imports `kubernetes` gets the real one, and these modules stay ours.
"""

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from framework.errors import ConfigurationError
from framework.loading import LOADING

_PACKAGE = "kubernetes"


@cache
def incluster_config() -> Any:
    """The module for service accounts of pods."""
    with _bare_packages():
        return importlib.import_module("kubernetes.config.incluster_config")


@cache
def kube_config() -> Any:
    """The module for kubeconfig files, their exec plugins and their identity providers."""
    with _bare_packages() as client:
        rest = importlib.import_module("kubernetes.client.rest")
        # All that is used of the real one is its `request`, which asks an OpenID issuer for its settings.
        client.__dict__["ApiClient"] = rest.RESTClientObject
        return importlib.import_module("kubernetes.config.kube_config")


@contextmanager
def _bare_packages() -> Iterator[ModuleType]:
    """Danger: a thread that imports `kubernetes` meanwhile gets a bare one."""
    folder = _folder()
    with LOADING:
        aside = _take_out()
        try:
            for name in ("", "client", "config"):
                _put_in(f"{_PACKAGE}.{name}".rstrip("."), folder / name)
            client = sys.modules["kubernetes.client"]
            client.__dict__["Configuration"] = importlib.import_module("kubernetes.client.configuration").Configuration
            yield client
        finally:
            _take_out()
            sys.modules.update(aside)


def _put_in(name: str, folder: Path) -> None:
    bare = ModuleType(name)
    bare.__path__ = [str(folder)]
    sys.modules[name] = bare


def _take_out() -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name == _PACKAGE or name.startswith(f"{_PACKAGE}.")]
    return {name: sys.modules.pop(name) for name in names}


def _folder() -> Path:
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ConfigurationError(f"the Python package {_PACKAGE!r} is not installed, which loads credentials")
    return Path(spec.submodule_search_locations[0])
