"""Mutants of laf's controllers; most of them are defects that its predecessor has."""

from typing import Any

from apis.apps.v1 import Deployment
from apis.laf.instance import Instance
from controllers.application.instances import Instances as InstancesOfApplications
from controllers.instance.deployer import Deployer
from controllers.instance.reconciler import Instances
from framework.reconcile import Result
from tests.simulation.laf_instances import instances
from tests.simulation.mutants.mutant import Mutant

_PREDECESSOR = "the predecessor"


def _finish_first(self: Instances, instance: Instance) -> Result:
    self._finalizer.finish(instance)
    self._stopping.stop(instance)
    return Result.await_change()


def _never_looks(_self: Deployer, _kind: Any) -> None:
    """What is there already is made all the same."""


def _is_right(_self: Deployer, _deployment: Deployment) -> bool:
    return True


def _plain_create(self: InstancesOfApplications, application: Any, wanted: Any) -> Any:
    given = {name: value for name, value in wanted.items() if value is not None}
    metadata = {"name": application.metadata.name, "namespace": application.metadata.namespace}
    return self._client.apply(Instance, {"metadata": metadata, "spec": given})


MUTANTS = (
    Mutant(
        "finalizer-before-the-cluster",
        "an Instance is let go before it is taken off its cluster",
        instances,
        [(Instances, "_delete", _finish_first)],
        known_from=_PREDECESSOR,
    ),
    Mutant(
        "made-without-looking",
        "what was made before a crash is in the way for ever",
        instances,
        [(Deployer, "_living", _never_looks)],
        known_from=_PREDECESSOR,
    ),
    Mutant(
        "deployment-never-updated",
        "a Deployment that is there is taken for the one that is wanted",
        instances,
        [(Deployer, "_has_deployment", _is_right)],
        known_from=_PREDECESSOR,
    ),
    Mutant(
        "instance-without-owner",
        "an Application takes an Instance for its own that nobody can tell from that of others",
        instances,
        [(InstancesOfApplications, "_create", _plain_create)],
        known_from=_PREDECESSOR,
    ),
)
