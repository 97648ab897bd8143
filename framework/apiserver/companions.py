"""The built-in controllers beside a running server; they are loaded in a task of their own, when it answers already."""

from collections.abc import Callable, Mapping
from typing import Any

from framework.apiserver.server import ApiServer
from framework.bugs import report_bug
from framework.loading import LOADING
from framework.runtime import Task

# Names and makers as in `framework.apiserver.controllers`, whose types would load all of it here.
ChooseControllers = Callable[[], Mapping[str, Any]]
# Loading takes all of one core: the first answers shall not have to share it.
_HEAD_START_SECONDS = 0.05


def everything() -> Mapping[str, Any]:
    """Also those that make pods of Deployments and mark them ready, so that a person sees things move."""
    with LOADING:
        from framework.apiserver.controllers import EVERYTHING

    return EVERYTHING


def essential() -> Mapping[str, Any]:
    """Those that a cluster cannot do without."""
    with LOADING:
        from framework.apiserver.controllers import ESSENTIAL

    return ESSENTIAL


class Companions:
    def __init__(self, server: ApiServer, choose: ChooseControllers) -> None:
        self._server = server
        self._choose = choose
        self._controllers: Any = None
        self._loading: Task | None = None
        self._stopping = server.runtime.event()

    def start(self) -> None:
        self._loading = self._server.runtime.spawn("apiserver-controllers-load", self._load)

    def stop(self) -> None:
        self._stopping.set()
        if self._loading is not None:
            self._loading.join()
        if self._controllers is not None:
            self._controllers.stop()

    def _load(self) -> None:
        if self._stopping.wait(_HEAD_START_SECONDS):
            return
        try:
            # Here, not above: see the first line of this file.
            with LOADING:
                from framework.apiserver.controllers import builtin_controllers

            controllers = builtin_controllers(self._server, self._choose())
        except Exception as error:  # noqa: BLE001 - nobody else could tell that nothing moves
            report_bug("controllers_not_started", error)
            return
        controllers.start()
        self._controllers = controllers
