"""A namespace in which a case plays the kubelets, and what is left of it when names and times are taken away."""

import json
import re
import uuid
from collections.abc import Callable
from typing import Any

from tests.conformance.api import Api
from tests.conformance.behaviours.waiting import eventually

_TIMES = re.compile(r'"\d{4}-\d\d-\d\dT[^"]*"')
_UIDS = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_ENDED = {"Succeeded", "Failed"}


class Stage:
    def __init__(self, api: Api) -> None:
        self.api = api
        self.namespace = f"stage-{uuid.uuid4().hex[:10]}"
        assert api.create("/api/v1/namespaces", {"metadata": {"name": self.namespace}}).status == 201
        account = self.path("", "serviceaccounts", "default")
        eventually(lambda: api.get(account).status, lambda status: status == 200)

    def path(self, group: str, plural: str, *parts: str) -> str:
        root = f"/apis/{group}/v1" if group else "/api/v1"
        return "/".join((f"{root}/namespaces/{self.namespace}/{plural}", *parts))

    def pods(self) -> list[Any]:
        found: list[Any] = self.api.get(self.path("", "pods")).ok["items"]
        return found

    def play(self, is_over: Callable[[], bool], end: str = "") -> None:
        """Run the pods, or with *end* bring them to that end, until the case is over."""

        def look() -> bool:
            for pod in self.pods():
                self._play(pod, end)
            return is_over()

        eventually(look, bool)

    def _play(self, pod: Any, end: str) -> None:
        name, status = pod["metadata"]["name"], pod["status"]
        path = self.path("", "pods", name)
        if "deletionTimestamp" in pod["metadata"]:
            self.api.delete(path, {"gracePeriodSeconds": 0})
        elif status["phase"] not in {end or "Running", *_ENDED}:
            ready = {"type": "Ready", "status": "False" if end else "True"}
            told = {"status": {"phase": end or "Running", "conditions": [ready]}}
            self.api.patch(f"{path}/status", told)

    def masked(self, *objects: Any, names: dict[str, str] | None = None) -> list[Any]:
        """The objects without what differs from one run to the next."""
        text = json.dumps([self._without_identity(obj) for obj in objects], sort_keys=True)
        for name, stand_in in (names or {}).items():
            text = text.replace(name, stand_in)
        text = text.replace(self.namespace, "NAMESPACE")
        masked: list[Any] = json.loads(_UIDS.sub("UID", _TIMES.sub('"TIME"', text)))
        return masked

    def _without_identity(self, obj: Any) -> Any:
        hidden = {"uid", "resourceVersion", "creationTimestamp", "managedFields", "name", "generateName"}
        metadata = {name: value for name, value in obj["metadata"].items() if name not in hidden}
        return {**obj, "metadata": metadata}
