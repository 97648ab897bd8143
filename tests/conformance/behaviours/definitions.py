"""Definitions that a case brings itself."""

from collections.abc import Callable
from typing import Any

from tests.conformance.api import Api
from tests.conformance.behaviours.waiting import eventually

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def apply_definition(api: Api, crd: Any) -> Any:
    return api.apply(f"{DEFINITIONS}/{crd['metadata']['name']}", crd, "test", force=True).ok


def served(api: Api, path: str, is_current: Callable[[], bool] = lambda: True) -> None:
    """Wait until *path* is served and, after a change, until the server *is_current*."""
    eventually(lambda: api.get(path).status, lambda status: status == 200)
    eventually(is_current, bool)
