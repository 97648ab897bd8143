"""Changes of objects that are there: which are refused, and what the others do to the rest of the object."""

from typing import Any, NamedTuple

from tests.conformance.builtin.manifests import CONTAINER, MINIMAL, RICH, Manifest
from tests.conformance.builtin.refusals import cron_job, deployment, job, pod, service, stateful_set


class Update(NamedTuple):
    """*change* is a merge patch of what the create answered, sent as a whole object."""

    before: Manifest
    change: dict[str, Any]
    subresource: str = ""


def _immutable(kind: str) -> Manifest:
    return {**MINIMAL[kind], "data": {"a": "YQ=="}, "immutable": True}


_ONE_PORT = [{"port": 80, "protocol": "TCP", "targetPort": 80}]

_UPDATES: dict[str, Update] = {
    # Kinds differ in how often they look at the metadata, and say each time what is wrong with it.
    **{
        f"metadata-of-{kind}": Update(before, {"metadata": {"labels": {"a": "b c"}, "finalizers": ["mine"]}})
        for kind, before in MINIMAL.items()
    },
    "nothing": Update(MINIMAL["deployment"], {}),
    "configmap": Update(MINIMAL["configmap"], {"data": {"a": "b"}}),
    "configmap-immutable": Update(_immutable("configmap"), {"data": {"a": "b"}}),
    "secret-immutable": Update(_immutable("secret"), {"data": {"b": "Yg=="}, "immutable": None}),
    "secret-type": Update(MINIMAL["secret"], {"type": "example.com/other"}),
    "namespace-finalizers": Update(MINIMAL["namespace"], {"spec": {"finalizers": []}, "status": {"phase": "x"}}),
    "namespace-label": Update(MINIMAL["namespace"], {"metadata": {"labels": {"kubernetes.io/metadata.name": "x"}}}),
    "node-provider": Update({**MINIMAL["node"], "spec": {"providerID": "a"}}, {"spec": {"providerID": "b"}}),
    "lease": Update(MINIMAL["lease"], {"spec": {"holderIdentity": "me"}}),
    "role-ref": Update(MINIMAL["rolebinding"], {"roleRef": {"name": "other"}}),
    "cluster-role-ref": Update(MINIMAL["clusterrolebinding"], {"roleRef": {"name": "other"}}),
    "event": Update(MINIMAL["core-event"], {"message": "changed", "count": 2}),
    "event-message": Update(MINIMAL["event"], {"note": "changed"}),
    "event-series": Update(
        MINIMAL["event"], {"series": {"count": 2, "lastObservedTime": "2024-01-02T03:04:06.000000Z"}}
    ),
    "pod-image": Update(MINIMAL["pod"], {"spec": {"containers": [{**CONTAINER, "image": "other"}]}}),
    "pod-labels": Update(MINIMAL["pod"], {"metadata": {"labels": {"a": "b"}}}),
    "pod-more-containers": Update(MINIMAL["pod"], {"spec": {"containers": [CONTAINER, {**CONTAINER, "name": "b"}]}}),
    "pod-deadline": Update(MINIMAL["pod"], {"spec": {"activeDeadlineSeconds": 5}}),
    "pod-longer-deadline": Update(pod(activeDeadlineSeconds=5), {"spec": {"activeDeadlineSeconds": 6}}),
    "pod-no-deadline": Update(pod(activeDeadlineSeconds=5), {"spec": {"activeDeadlineSeconds": None}}),
    "pod-fewer-tolerations": Update(
        pod(tolerations=[{"key": "a", "operator": "Exists"}]), {"spec": {"tolerations": []}}
    ),
    "pod-more-gates": Update(MINIMAL["pod"], {"spec": {"schedulingGates": [{"name": "a.b/c"}]}}),
    "deployment-replicas": Update(MINIMAL["deployment"], {"spec": {"replicas": 3}}),
    "deployment-annotation": Update(MINIMAL["deployment"], {"metadata": {"annotations": {"a": "b"}}}),
    "deployment-label": Update(MINIMAL["deployment"], {"metadata": {"labels": {"a": "b"}}, "status": {"replicas": 7}}),
    "deployment-selector": Update(
        MINIMAL["deployment"],
        {
            "spec": {
                "selector": {"matchLabels": {"app": "y"}},
                "template": {"metadata": {"labels": {"app": "y"}}},
            }
        },
    ),
    "deployment-strategy": Update(deployment(), {"spec": {"strategy": {"type": "Recreate", "rollingUpdate": None}}}),
    "daemonset-template": Update(MINIMAL["daemonset"], {"spec": {"template": {"spec": {"hostNetwork": True}}}}),
    "daemonset-seconds": Update(MINIMAL["daemonset"], {"spec": {"minReadySeconds": 1}}),
    "statefulset-replicas": Update(MINIMAL["statefulset"], {"spec": {"replicas": 2}}),
    "statefulset-service": Update(stateful_set(serviceName="a"), {"spec": {"serviceName": "b"}}),
    "job-parallelism": Update(MINIMAL["job"], {"spec": {"parallelism": 2}}),
    "job-negative": Update(MINIMAL["job"], {"spec": {"parallelism": -1}}),
    "cronjob-schedule": Update(cron_job(), {"spec": {"schedule": "TZ=UTC * * *", "timeZone": "Nowhere"}}),
    "job-completions": Update(MINIMAL["job"], {"spec": {"completions": 2}}),
    "job-mode": Update(MINIMAL["job"], {"spec": {"completionMode": "Indexed"}}),
    "job-suspended": Update(
        job(suspend=True), {"spec": {"suspend": False, "template": {"spec": {"nodeSelector": {"a": "b"}}}}}
    ),
    "cronjob": Update(cron_job(), {"spec": {"suspend": True}}),
    "service-address": Update(MINIMAL["service"], {"spec": {"clusterIP": "10.96.77.77"}}),
    "service-without-address": Update(MINIMAL["service"], {"spec": {"clusterIP": None, "clusterIPs": None}}),
    "service-headless": Update(MINIMAL["service"], {"spec": {"clusterIP": "None", "clusterIPs": ["None"]}}),
    "service-to-node-port": Update(MINIMAL["service"], {"spec": {"type": "NodePort"}}),
    "service-from-node-port": Update(service(type="NodePort"), {"spec": {"type": "ClusterIP"}}),
    "service-node-port-forgotten": Update(service(type="NodePort"), {"spec": {"ports": _ONE_PORT}}),
    "service-from-load-balancer": Update(service(type="LoadBalancer"), {"spec": {"type": "ClusterIP"}}),
    "service-to-external": Update(MINIMAL["service"], {"spec": {"type": "ExternalName", "externalName": "a.b"}}),
    "service-from-external": Update(
        RICH["service-external"], {"spec": {"type": "ClusterIP", "externalName": None, "ports": [{"port": 80}]}}
    ),
    "ingress": Update(MINIMAL["ingress"], {"spec": {"ingressClassName": "x"}}),
    "networkpolicy": Update(MINIMAL["networkpolicy"], {"spec": {"policyTypes": ["Egress"]}}),
    "poddisruptionbudget": Update(MINIMAL["poddisruptionbudget"], {"spec": {"minAvailable": 1}}),
    "webhooks": Update(
        MINIMAL["validatingwebhookconfiguration"], {"webhooks": RICH["validatingwebhookconfiguration"]["webhooks"]}
    ),
    "deployment-status": Update(
        MINIMAL["deployment"],
        {"metadata": {"labels": {"a": "b"}}, "spec": {"replicas": 5}, "status": {"replicas": 1, "readyReplicas": 0}},
        "status",
    ),
    "deployment-status-counts": Update(
        MINIMAL["deployment"], {"status": {"replicas": 1, "readyReplicas": 2, "unavailableReplicas": -1}}, "status"
    ),
    "replicaset-status": Update(MINIMAL["replicaset"], {"status": {"availableReplicas": 1}}, "status"),
    "statefulset-status": Update(
        MINIMAL["statefulset"], {"status": {"replicas": 1}, "spec": {"replicas": 9}}, "status"
    ),
    "daemonset-status": Update(
        MINIMAL["daemonset"], {"metadata": {"annotations": {"a": "b"}}, "status": {"numberReady": 1}}, "status"
    ),
    "pod-status": Update(
        MINIMAL["pod"],
        {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"nodeName": "n"},
            "status": {
                "phase": "Running",
                "qosClass": None,
                "conditions": [{"type": "Ready", "status": "True"}],
                "containerStatuses": [{"name": "main", "state": {"running": {}}}],
            },
        },
        "status",
    ),
    "pod-status-class": Update(MINIMAL["pod"], {"status": {"qosClass": "Guaranteed"}}, "status"),
    "node-status": Update(
        MINIMAL["node"],
        {"spec": {"unschedulable": True}, "status": {"capacity": {"cpu": "2000m"}, "allocatable": None}},
        "status",
    ),
    "node-status-amount": Update(MINIMAL["node"], {"status": {"capacity": {"pods": "1.5", "cpu": "-1"}}}, "status"),
    "namespace-status": Update(MINIMAL["namespace"], {"status": {"phase": "Terminating"}}, "status"),
    "namespace-finalize": Update(MINIMAL["namespace"], {"spec": {"finalizers": ["kubernetes", "bad"]}}, "finalize"),
    "service-status": Update(
        service(type="LoadBalancer"), {"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}}, "status"
    ),
    "job-status": Update(MINIMAL["job"], {"spec": {"parallelism": 5}, "status": {"active": 1, "ready": 0}}, "status"),
    "cronjob-status": Update(cron_job(), {"status": {"lastScheduleTime": "2024-01-02T03:04:05Z"}}, "status"),
    "ingress-status": Update(
        MINIMAL["ingress"], {"status": {"loadBalancer": {"ingress": [{"hostname": "a.b"}]}}}, "status"
    ),
    "poddisruptionbudget-status": Update(
        MINIMAL["poddisruptionbudget"], {"status": {"expectedPods": -1, "currentHealthy": 1}}, "status"
    ),
}

# Each with a name of its own: a deleted namespace, for one, takes its time.
UPDATES = {
    case: Update({**before, "metadata": {**before["metadata"], "name": case}}, change, subresource)
    for case, (before, change, subresource) in _UPDATES.items()
}
