"""Which controllers run beside a server."""

from collections.abc import Mapping

from framework.apiserver.controllers.background import Controllers
from framework.apiserver.controllers.cluster_roles import ClusterRoleAggregator
from framework.apiserver.controllers.definitions import DefinitionFinalizer
from framework.apiserver.controllers.events import EventExpiry
from framework.apiserver.controllers.garbage_collector import GarbageCollector
from framework.apiserver.controllers.loopback import Loopback
from framework.apiserver.controllers.namespaces import NamespaceFinalizer
from framework.apiserver.controllers.service_accounts import ServiceAccountMaker
from framework.apiserver.controllers.tools import ControllerMaker, ControllerTools
from framework.apiserver.controllers.workloads.wiring import WORKLOADS
from framework.apiserver.server import ApiServer

_NAME = "kube-controller-manager"

# Without these a server is not a cluster. Like all of them each is left out, or replaced, by its name.
ESSENTIAL: Mapping[str, ControllerMaker] = {
    "definitions": DefinitionFinalizer,
    "namespaces": NamespaceFinalizer,
    "garbage-collector": GarbageCollector,
    "service-accounts": ServiceAccountMaker,
    "cluster-roles": ClusterRoleAggregator,
    "events": EventExpiry,
}
# All that there are: for a person, who wants to see things move.
EVERYTHING: Mapping[str, ControllerMaker] = {**WORKLOADS, **ESSENTIAL}


def builtin_controllers(server: ApiServer, makers: Mapping[str, ControllerMaker] = ESSENTIAL) -> Controllers:
    """The controllers that *makers* make, in their order: `{**ESSENTIAL, "events": MyOwn}` puts another in a place."""
    loopback = Loopback(server, _NAME)
    tools = ControllerTools(server.storage, server.registry, loopback, server.clock)
    controllers = [make(tools) for make in makers.values()]
    return Controllers(controllers, storage=server.storage, runtime=server.runtime)
