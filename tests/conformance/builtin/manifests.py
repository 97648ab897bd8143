"""Objects that a server takes: for each built-in kind one with as little, and one with as much, as people write."""

from typing import Any

Manifest = dict[str, Any]

CONTAINER: Manifest = {"name": "main", "image": "nginx"}
POD_SPEC: Manifest = {"containers": [CONTAINER]}
TEMPLATE: Manifest = {"metadata": {"labels": {"app": "x"}}, "spec": POD_SPEC}
SELECTOR: Manifest = {"matchLabels": {"app": "x"}}
JOB_TEMPLATE: Manifest = {"spec": {**POD_SPEC, "restartPolicy": "Never"}}
RICH_POD_SPEC: Manifest = {
    "serviceAccountName": "builder",
    "hostNetwork": False,
    "terminationGracePeriodSeconds": 0,
    "nodeSelector": {"disk": "ssd"},
    "imagePullSecrets": [{"name": "registry"}],
    "tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
    "securityContext": {"runAsUser": 1000, "runAsNonRoot": True, "fsGroup": 2000},
    "initContainers": [
        {"name": "setup", "image": "busybox:1.36", "command": ["true"]},
        {"name": "sidecar", "image": "proxy:latest", "restartPolicy": "Always"},
    ],
    "containers": [
        {
            "name": "main",
            "image": "example.com:5000/team/app@sha256:" + "a" * 64,
            "args": [],
            "env": [
                {"name": "EMPTY", "value": ""},
                {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
                {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
                {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "k", "optional": False}}},
            ],
            "envFrom": [{"configMapRef": {"name": "settings"}}],
            "ports": [{"containerPort": 80}, {"name": "metrics", "containerPort": 9090, "protocol": "TCP"}],
            "resources": {
                "limits": {"cpu": "1000m", "memory": "1024Mi"},
                "requests": {"cpu": "0.5", "memory": "1e9"},
            },
            "livenessProbe": {"httpGet": {"port": 80}, "initialDelaySeconds": 0},
            "readinessProbe": {"exec": {"command": ["true"]}, "periodSeconds": 3},
            "startupProbe": {"tcpSocket": {"port": "metrics"}},
            "lifecycle": {"preStop": {"exec": {"command": ["sleep", "1"]}}},
            "securityContext": {"privileged": False, "readOnlyRootFilesystem": True},
            "volumeMounts": [
                {"name": "scratch", "mountPath": "/scratch"},
                {"name": "settings", "mountPath": "/etc/settings", "readOnly": True, "subPath": "a"},
            ],
        },
        {"name": "second", "image": "second:v1", "imagePullPolicy": "Never", "stdin": True, "tty": False},
    ],
    "volumes": [
        {"name": "scratch"},
        {"name": "settings", "configMap": {"name": "settings", "items": [{"key": "a", "path": "a"}]}},
        {"name": "keys", "secret": {"secretName": "keys", "optional": True}},
        {"name": "logs", "hostPath": {"path": "/var/log"}},
        {"name": "info", "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
        {
            "name": "all",
            "projected": {
                "sources": [
                    {"serviceAccountToken": {"path": "token"}},
                    {"configMap": {"name": "settings"}},
                ]
            },
        },
        {"name": "claim", "persistentVolumeClaim": {"claimName": "data", "readOnly": False}},
    ],
}
RICH_TEMPLATE: Manifest = {
    "metadata": {"labels": {"app": "x"}, "annotations": {"example.com/a": "b"}, "creationTimestamp": None},
    "spec": RICH_POD_SPEC,
}
WEBHOOK: Manifest = {
    "name": "check.example.com",
    "clientConfig": {"url": "https://example.com/check"},
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
}


def manifest(api_version: str, kind: str, name: str = "sample", **fields: Any) -> Manifest:
    metadata = {"name": name, **fields.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


MINIMAL: dict[str, Manifest] = {
    "configmap": manifest("v1", "ConfigMap"),
    "secret": manifest("v1", "Secret"),
    "namespace": manifest("v1", "Namespace"),
    "serviceaccount": manifest("v1", "ServiceAccount"),
    "node": manifest("v1", "Node"),
    "lease": manifest("coordination.k8s.io/v1", "Lease"),
    "core-event": manifest("v1", "Event", involvedObject={"namespace": "default"}),
    "event": manifest(
        "events.k8s.io/v1",
        "Event",
        eventTime="2024-01-02T03:04:05.123456Z",
        type="Normal",
        reason="Tested",
        action="Test",
        reportingController="example.com/test",
        reportingInstance="test-1",
        regarding={"namespace": "default"},
    ),
    "role": manifest("rbac.authorization.k8s.io/v1", "Role"),
    "clusterrole": manifest("rbac.authorization.k8s.io/v1", "ClusterRole", name="a:b"),
    "rolebinding": manifest(
        "rbac.authorization.k8s.io/v1", "RoleBinding", roleRef={"kind": "Role", "name": "r", "apiGroup": ""}
    ),
    "clusterrolebinding": manifest(
        "rbac.authorization.k8s.io/v1", "ClusterRoleBinding", roleRef={"kind": "ClusterRole", "name": "r"}
    ),
    "pod": manifest("v1", "Pod", spec=POD_SPEC),
    "service": manifest("v1", "Service", spec={"ports": [{"port": 80}]}),
    "deployment": manifest("apps/v1", "Deployment", spec={"selector": SELECTOR, "template": TEMPLATE}),
    "replicaset": manifest("apps/v1", "ReplicaSet", spec={"selector": SELECTOR, "template": TEMPLATE}),
    "statefulset": manifest("apps/v1", "StatefulSet", spec={"selector": SELECTOR, "template": TEMPLATE}),
    "daemonset": manifest("apps/v1", "DaemonSet", spec={"selector": SELECTOR, "template": TEMPLATE}),
    "job": manifest("batch/v1", "Job", spec={"template": JOB_TEMPLATE}),
    "cronjob": manifest(
        "batch/v1", "CronJob", spec={"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": JOB_TEMPLATE}}}
    ),
    "ingress": manifest(
        "networking.k8s.io/v1",
        "Ingress",
        spec={"defaultBackend": {"service": {"name": "s", "port": {"number": 80}}}},
    ),
    "networkpolicy": manifest("networking.k8s.io/v1", "NetworkPolicy"),
    "poddisruptionbudget": manifest("policy/v1", "PodDisruptionBudget"),
    "mutatingwebhookconfiguration": manifest("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
    "validatingwebhookconfiguration": manifest("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
}

RICH: dict[str, Manifest] = {
    "configmap": manifest("v1", "ConfigMap", data={"a": "b", "empty": ""}, binaryData={"c": "AAEC"}, immutable=False),
    "secret": manifest(
        "v1", "Secret", data={"a": "YQ=="}, stringData={"b": "ü", "a": "replaced"}, type="example.com/x"
    ),
    "secret-tls": manifest("v1", "Secret", data={"tls.crt": "", "tls.key": ""}, type="kubernetes.io/tls"),
    "namespace": manifest(
        "v1",
        "Namespace",
        metadata={"labels": {"a": "b"}},
        spec={"finalizers": ["example.com/mine"]},
        status={"phase": "x"},
    ),
    "serviceaccount": manifest(
        "v1",
        "ServiceAccount",
        secrets=[{"name": "s", "namespace": "elsewhere"}],
        imagePullSecrets=[{"name": "p"}],
        automountServiceAccountToken=False,
    ),
    "node": manifest(
        "v1",
        "Node",
        metadata={"labels": {"zone": "a"}},
        spec={
            "unschedulable": True,
            "taints": [{"key": "a", "value": "b", "effect": "NoSchedule"}],
            "podCIDR": "10.0.0.0/24",
            "podCIDRs": ["10.0.0.0/24"],
        },
        status={
            "capacity": {"cpu": "4000m", "memory": "16777216Ki", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2024-01-02T03:04:05+02:00"}],
            "nodeInfo": {"kubeletVersion": "v1"},
        },
    ),
    "lease": manifest(
        "coordination.k8s.io/v1",
        "Lease",
        spec={
            "holderIdentity": "me",
            "leaseDurationSeconds": 15,
            "acquireTime": "2024-01-02T03:04:05.000000Z",
            "renewTime": "2024-01-02T05:04:05.123456+02:00",
            "leaseTransitions": 0,
            "strategy": "OldestEmulationVersion",
        },
    ),
    "core-event": manifest(
        "v1",
        "Event",
        involvedObject={"kind": "Pod", "namespace": "default", "name": "p"},
        reason="Tested",
        message="it was",
        source={"component": "test"},
        firstTimestamp="2024-01-02T03:04:05Z",
        lastTimestamp="2024-01-02T03:04:05Z",
        count=0,
        type="Normal",
    ),
    "event": manifest(
        "events.k8s.io/v1",
        "Event",
        eventTime="2024-01-02T03:04:05.123456Z",
        type="Warning",
        reason="Tested",
        note="it was",
        action="Test",
        reportingController="example.com/test",
        reportingInstance="test-1",
        regarding={"kind": "Pod", "namespace": "default", "name": "p"},
        related={"kind": "Node", "name": "n"},
        series={"count": 2, "lastObservedTime": "2024-01-02T03:04:05.000001Z"},
    ),
    "role": manifest(
        "rbac.authorization.k8s.io/v1",
        "Role",
        rules=[{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"], "resourceNames": []}],
    ),
    "clusterrole": manifest(
        "rbac.authorization.k8s.io/v1",
        "ClusterRole",
        rules=[{"nonResourceURLs": ["/healthz"], "verbs": ["get"]}],
        aggregationRule={"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]},
    ),
    "rolebinding": manifest(
        "rbac.authorization.k8s.io/v1",
        "RoleBinding",
        roleRef={"kind": "ClusterRole", "name": "view", "apiGroup": "rbac.authorization.k8s.io"},
        subjects=[
            {"kind": "ServiceAccount", "name": "s"},
            {"kind": "User", "name": "u"},
            {"kind": "Group", "name": "g"},
        ],
    ),
    "clusterrolebinding": manifest(
        "rbac.authorization.k8s.io/v1",
        "ClusterRoleBinding",
        roleRef={"kind": "ClusterRole", "name": "view"},
        subjects=[{"kind": "ServiceAccount", "name": "s", "namespace": "n"}],
    ),
    "pod": manifest("v1", "Pod", spec=RICH_POD_SPEC),
    "pod-guaranteed": manifest(
        "v1", "Pod", spec={"containers": [{**CONTAINER, "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}]}
    ),
    "pod-on-host": manifest(
        "v1", "Pod", spec={"hostNetwork": True, "containers": [{**CONTAINER, "ports": [{"containerPort": 80}]}]}
    ),
    "pod-gated": manifest("v1", "Pod", spec={**POD_SPEC, "schedulingGates": [{"name": "example.com/wait"}]}),
    "service-nodeport": manifest(
        "v1",
        "Service",
        spec={
            "type": "NodePort",
            "selector": {"app": "x"},
            "ports": [{"name": "a", "port": 80, "targetPort": "http"}, {"name": "b", "port": 81, "nodePort": 30123}],
        },
    ),
    "service-loadbalancer": manifest(
        "v1",
        "Service",
        spec={
            "type": "LoadBalancer",
            "externalTrafficPolicy": "Local",
            "sessionAffinity": "ClientIP",
            "ports": [{"port": 80, "protocol": "UDP"}],
        },
    ),
    "service-headless": manifest("v1", "Service", spec={"clusterIP": "None", "selector": {"a": "b"}}),
    "service-headless-without-selector": manifest("v1", "Service", spec={"clusterIP": "None"}),
    "service-external": manifest("v1", "Service", spec={"type": "ExternalName", "externalName": "example.com"}),
    "deployment": manifest(
        "apps/v1",
        "Deployment",
        spec={
            "replicas": 0,
            "paused": True,
            "minReadySeconds": 5,
            "selector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["x"]}]},
            "strategy": {"rollingUpdate": {"maxSurge": 1}},
            "template": RICH_TEMPLATE,
        },
        status={"replicas": 3},
    ),
    "deployment-recreate": manifest(
        "apps/v1",
        "Deployment",
        spec={"selector": SELECTOR, "template": TEMPLATE, "strategy": {"type": "Recreate"}, "paused": False},
    ),
    "replicaset": manifest(
        "apps/v1", "ReplicaSet", spec={"replicas": 2, "selector": SELECTOR, "template": RICH_TEMPLATE}
    ),
    "statefulset": manifest(
        "apps/v1",
        "StatefulSet",
        spec={
            "serviceName": "s",
            "selector": SELECTOR,
            "template": {
                "metadata": {"labels": {"app": "x"}},
                "spec": {"containers": [{**CONTAINER, "volumeMounts": [{"name": "data", "mountPath": "/data"}]}]},
            },
            "volumeClaimTemplates": [
                {
                    "metadata": {"name": "data"},
                    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1024Mi"}}},
                }
            ],
            "updateStrategy": {"type": "OnDelete"},
        },
    ),
    "daemonset": manifest(
        "apps/v1",
        "DaemonSet",
        spec={
            "selector": SELECTOR,
            "template": RICH_TEMPLATE,
            "updateStrategy": {"rollingUpdate": {"maxUnavailable": "10%"}},
        },
    ),
    "job": manifest(
        "batch/v1",
        "Job",
        spec={
            "completions": 3,
            "completionMode": "Indexed",
            "backoffLimitPerIndex": 1,
            "ttlSecondsAfterFinished": 0,
            "template": {"metadata": {"labels": {"app": "x"}}, "spec": JOB_TEMPLATE["spec"]},
            "podFailurePolicy": {
                "rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}],
            },
        },
    ),
    "cronjob": manifest(
        "batch/v1",
        "CronJob",
        spec={
            "schedule": "@hourly",
            "timeZone": "Europe/Berlin",
            "concurrencyPolicy": "Forbid",
            "startingDeadlineSeconds": 0,
            "successfulJobsHistoryLimit": 0,
            "jobTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": {"template": JOB_TEMPLATE, "backoffLimit": 0}},
        },
    ),
    "ingress": manifest(
        "networking.k8s.io/v1",
        "Ingress",
        spec={
            "ingressClassName": "nginx",
            "rules": [
                {
                    "host": "*.example.com",
                    "http": {
                        "paths": [
                            {
                                "path": "/",
                                "pathType": "Prefix",
                                "backend": {"service": {"name": "s", "port": {"name": "http"}}},
                            }
                        ]
                    },
                }
            ],
            "tls": [{"hosts": ["a.example.com"], "secretName": "t"}],
        },
    ),
    "networkpolicy": manifest(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        spec={
            "podSelector": {},
            "ingress": [{"from": [{"podSelector": {}}], "ports": [{"port": 80}]}, {}],
            "egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}]}],
        },
    ),
    "poddisruptionbudget": manifest(
        "policy/v1",
        "PodDisruptionBudget",
        spec={"minAvailable": "50%", "selector": SELECTOR},
        status={"expectedPods": 3},
    ),
    "mutatingwebhookconfiguration": manifest(
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration",
        webhooks=[
            {
                **WEBHOOK,
                "clientConfig": {"service": {"name": "s", "namespace": "n", "path": "/x"}, "caBundle": ""},
                "rules": [
                    {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods/*"]}
                ],
                "matchConditions": [{"name": "one", "expression": "true"}],
            }
        ],
    ),
    "validatingwebhookconfiguration": manifest(
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        webhooks=[{**WEBHOOK, "failurePolicy": "Ignore", "timeoutSeconds": 1}],
    ),
}
