"""Which scripts of an account call which, by their service bindings."""

from collections.abc import Iterator
from typing import Any

from apis.cfworker.script import Binding, BindingType
from controllers.cfapi.catalogue import Catalogue

_ENVIRONMENT = "production"


def incoming(catalogue: Catalogue, account: str, script: str) -> list[dict[str, Any]]:
    """The active scripts that call *script*, itself aside."""
    return [
        _reference(name, binding)
        for name, binding in _service_bindings(catalogue, account)
        if binding.service == script and name != script
    ]


def outgoing(catalogue: Catalogue, account: str, script: str) -> list[dict[str, Any]]:
    """The scripts that *script* calls."""
    return [
        _reference(binding.service, binding)
        for name, binding in _service_bindings(catalogue, account)
        if name == script
    ]


def _service_bindings(catalogue: Catalogue, account: str) -> Iterator[tuple[str, Binding]]:
    for name, bindings in catalogue.active_bindings(account).items():
        for binding in bindings:
            if binding.type is BindingType.SERVICE:
                yield name, binding


def _reference(service: str, binding: Binding) -> dict[str, Any]:
    return {"service": service, "environment": _ENVIRONMENT, "name": binding.name}
