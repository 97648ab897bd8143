"""Which strategy each built-in kind has."""

from collections.abc import Callable, Iterable, Mapping

from framework.apiserver.builtin.kinds.batch import CronJobStrategy, JobStrategy
from framework.apiserver.builtin.kinds.cluster import NamespaceStrategy, NodeStrategy, ServiceAccountStrategy
from framework.apiserver.builtin.kinds.config import ConfigMapStrategy, SecretStrategy
from framework.apiserver.builtin.kinds.events import CoreEventStrategy, EventStrategy
from framework.apiserver.builtin.kinds.leases import LeaseStrategy
from framework.apiserver.builtin.kinds.networking import IngressStrategy, NetworkPolicyStrategy
from framework.apiserver.builtin.kinds.pods import PodStrategy
from framework.apiserver.builtin.kinds.policy import PodDisruptionBudgetStrategy
from framework.apiserver.builtin.kinds.rbac import (
    BindingStrategy,
    ClusterRoleBindingStrategy,
    ClusterRoleStrategy,
    RoleStrategy,
)
from framework.apiserver.builtin.kinds.services import ServiceStrategy
from framework.apiserver.builtin.kinds.webhooks import WebhookConfigurationStrategy
from framework.apiserver.builtin.kinds.workloads import (
    DaemonSetStrategy,
    DeploymentStrategy,
    ReplicaSetStrategy,
    StatefulSetStrategy,
)
from framework.apiserver.builtin.resources import BuiltinResource
from framework.apiserver.builtin.strategy import BuiltinStrategy
from framework.apiserver.objects import Object

_STRATEGIES: Mapping[str, type[BuiltinStrategy]] = {
    "v1/ConfigMap": ConfigMapStrategy,
    "v1/Event": CoreEventStrategy,
    "v1/Namespace": NamespaceStrategy,
    "v1/Node": NodeStrategy,
    "v1/Pod": PodStrategy,
    "v1/Secret": SecretStrategy,
    "v1/ServiceAccount": ServiceAccountStrategy,
    "events.k8s.io/v1/Event": EventStrategy,
    "apps/v1/DaemonSet": DaemonSetStrategy,
    "apps/v1/Deployment": DeploymentStrategy,
    "apps/v1/ReplicaSet": ReplicaSetStrategy,
    "apps/v1/StatefulSet": StatefulSetStrategy,
    "batch/v1/CronJob": CronJobStrategy,
    "batch/v1/Job": JobStrategy,
    "networking.k8s.io/v1/Ingress": IngressStrategy,
    "networking.k8s.io/v1/NetworkPolicy": NetworkPolicyStrategy,
    "policy/v1/PodDisruptionBudget": PodDisruptionBudgetStrategy,
    "rbac.authorization.k8s.io/v1/ClusterRole": ClusterRoleStrategy,
    "rbac.authorization.k8s.io/v1/ClusterRoleBinding": ClusterRoleBindingStrategy,
    "rbac.authorization.k8s.io/v1/Role": RoleStrategy,
    "rbac.authorization.k8s.io/v1/RoleBinding": BindingStrategy,
    "admissionregistration.k8s.io/v1/MutatingWebhookConfiguration": WebhookConfigurationStrategy,
    "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration": WebhookConfigurationStrategy,
    "coordination.k8s.io/v1/Lease": LeaseStrategy,
}


def builtin_strategy(resource: BuiltinResource, services: Callable[[], Iterable[Object]]) -> BuiltinStrategy:
    """The rules of *resource*. *services* gives all stored Services, from which their addresses are allocated.

    CustomResourceDefinitions and the reviews that are never stored get the common rules only: pruning, types and the
    form in which Go writes them.
    """
    if resource.group == "" and resource.kind == "Service":
        return ServiceStrategy(resource, services)
    strategy = _STRATEGIES.get(f"{resource.api_version}/{resource.kind}", BuiltinStrategy)
    return strategy(resource)
