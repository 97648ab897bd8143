"""What runs beside an API server in every cluster: garbage collection, namespaces, definitions, accounts, workloads.

Guarantees: level-triggered, so that it can be stopped and started anywhere; a settled server makes no write; every
deletion names the uid that was judged; without `start` nothing runs until `settle` is called.
Not guaranteed: kubelets: pods do nothing but become ready and go.
"""

from framework.apiserver.controllers.background import Controllers
from framework.apiserver.controllers.loopback import Loopback
from framework.apiserver.controllers.tools import BuiltinController, ControllerMaker, ControllerTools
from framework.apiserver.controllers.wiring import ESSENTIAL, EVERYTHING, builtin_controllers
from framework.apiserver.controllers.workloads.wiring import WORKLOADS

__all__ = [
    "ESSENTIAL",
    "EVERYTHING",
    "WORKLOADS",
    "BuiltinController",
    "ControllerMaker",
    "ControllerTools",
    "Controllers",
    "Loopback",
    "builtin_controllers",
]
