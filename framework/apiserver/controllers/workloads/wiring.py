"""The controllers that let a person see workloads move, by name."""

from collections.abc import Mapping

from framework.apiserver.controllers.tools import ControllerMaker
from framework.apiserver.controllers.workloads.daemon_sets import DaemonSetController
from framework.apiserver.controllers.workloads.deployments import DeploymentController
from framework.apiserver.controllers.workloads.disruption_budgets import DisruptionBudgetController
from framework.apiserver.controllers.workloads.job_pod_release import JobPodRelease
from framework.apiserver.controllers.workloads.jobs import JobController
from framework.apiserver.controllers.workloads.kubelet import Kubelet
from framework.apiserver.controllers.workloads.nodes import NodeHeartbeat
from framework.apiserver.controllers.workloads.replica_sets import ReplicaSetController
from framework.apiserver.controllers.workloads.scheduler import Scheduler
from framework.apiserver.controllers.workloads.stateful_sets import StatefulSetController

# From what is asked for to what runs, so that one round goes far.
WORKLOADS: Mapping[str, ControllerMaker] = {
    "nodes": NodeHeartbeat,
    "deployments": DeploymentController,
    "replica-sets": ReplicaSetController,
    "stateful-sets": StatefulSetController,
    "daemon-sets": DaemonSetController,
    "jobs": JobController,
    "job-pods": JobPodRelease,
    "scheduler": Scheduler,
    "kubelet": Kubelet,
    "disruption-budgets": DisruptionBudgetController,
}
