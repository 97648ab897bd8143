"""Objects that a server refuses, each with about one thing wrong."""

from typing import Any

from tests.conformance.builtin.manifests import (
    CONTAINER,
    JOB_TEMPLATE,
    POD_SPEC,
    SELECTOR,
    TEMPLATE,
    WEBHOOK,
    Manifest,
    manifest,
)

_RBAC = "rbac.authorization.k8s.io/v1"
_ADMISSION = "admissionregistration.k8s.io/v1"


def pod(**spec: Any) -> Manifest:
    return manifest("v1", "Pod", spec={**POD_SPEC, **spec})


def container(**fields: Any) -> Manifest:
    return pod(containers=[{**CONTAINER, **fields}])


def service(*ports: Manifest, **spec: Any) -> Manifest:
    return manifest("v1", "Service", spec={"ports": list(ports) or [{"port": 80}], **spec})


def deployment(**spec: Any) -> Manifest:
    return manifest("apps/v1", "Deployment", spec={"selector": SELECTOR, "template": TEMPLATE, **spec})


def stateful_set(**spec: Any) -> Manifest:
    return manifest("apps/v1", "StatefulSet", spec={"selector": SELECTOR, "template": TEMPLATE, **spec})


def daemon_set(**spec: Any) -> Manifest:
    return manifest("apps/v1", "DaemonSet", spec={"selector": SELECTOR, "template": TEMPLATE, **spec})


def job(**spec: Any) -> Manifest:
    return manifest("batch/v1", "Job", spec={"template": JOB_TEMPLATE, **spec})


def cron_job(**spec: Any) -> Manifest:
    template = {"spec": {"template": JOB_TEMPLATE}}
    return manifest("batch/v1", "CronJob", spec={"schedule": "* * * * *", "jobTemplate": template, **spec})


def ingress(**spec: Any) -> Manifest:
    return manifest("networking.k8s.io/v1", "Ingress", spec=spec)


def network_policy(**spec: Any) -> Manifest:
    return manifest("networking.k8s.io/v1", "NetworkPolicy", spec={"podSelector": {}, **spec})


def webhook(**fields: Any) -> Manifest:
    return manifest(_ADMISSION, "ValidatingWebhookConfiguration", webhooks=[{**WEBHOOK, **fields}])


def http(path: Manifest) -> Manifest:
    return ingress(rules=[{"http": {"paths": [path]}}])


_BACKEND: Manifest = {"service": {"name": "s", "port": {"number": 80}}}
_RULE: Manifest = {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}

WRONG_TYPES: dict[str, Manifest] = {
    "text-for-number": deployment(replicas="3"),
    "number-for-text": manifest("v1", "ConfigMap", data={"a": 1}),
    "list-for-object": manifest("v1", "Pod", spec=[]),
    "text-for-list": pod(containers="x"),
    "number-for-named-text": container(imagePullPolicy=1),
    "object-for-text": container(name={}),
    "text-for-bool": pod(hostNetwork="yes"),
    "too-large-number": deployment(replicas=3_000_000_000),
    "fraction-for-number": deployment(replicas=1.5),
    "bool-for-int-or-string": service({"port": 80, "targetPort": True}),
    "no-quantity": container(resources={"limits": {"cpu": "lots"}}),
    "no-base64": manifest("v1", "Secret", data={"a": "b!"}),
    "no-time": manifest("coordination.k8s.io/v1", "Lease", spec={"renewTime": "yesterday"}),
    "time-without-micros": manifest("coordination.k8s.io/v1", "Lease", spec={"renewTime": "2024-01-02T03:04:05Z"}),
}

INVALID: dict[str, Manifest] = {
    **WRONG_TYPES,
    "metadata-of-deployment": {**deployment(replicas=-1), "metadata": {"name": "a", "labels": {"a b": "c d"}}},
    "metadata-of-configmap": manifest("v1", "ConfigMap", metadata={"finalizers": ["mine"]}, data={"a b": ""}),
    "metadata-of-lease": manifest("coordination.k8s.io/v1", "Lease", metadata={"finalizers": ["_"]}),
    "metadata-of-budget": manifest("policy/v1", "PodDisruptionBudget", name="A%", metadata={"labels": {"a": "_"}}),
    "metadata-of-event": manifest("v1", "Event", name="A%", involvedObject={"namespace": "default"}),
    "configmap-name": manifest("v1", "ConfigMap", name="Upper"),
    "configmap-key": manifest("v1", "ConfigMap", data={"a b": ""}),
    "configmap-key-twice": manifest("v1", "ConfigMap", data={"a": ""}, binaryData={"a": ""}),
    "secret-key": manifest("v1", "Secret", data={"..": ""}),
    "secret-tls": manifest("v1", "Secret", type="kubernetes.io/tls"),
    "secret-basic-auth": manifest("v1", "Secret", type="kubernetes.io/basic-auth"),
    "secret-token": manifest("v1", "Secret", type="kubernetes.io/service-account-token"),
    "namespace-name": manifest("v1", "Namespace", name="a.b"),
    "namespace-finalizer": manifest("v1", "Namespace", spec={"finalizers": ["mine"]}),
    "node-taint": manifest("v1", "Node", spec={"taints": [{"key": "a b", "effect": "Never"}]}),
    "lease-numbers": manifest(
        "coordination.k8s.io/v1", "Lease", spec={"leaseDurationSeconds": 0, "leaseTransitions": -1}
    ),
    "event-namespace": manifest("v1", "Event", involvedObject={"namespace": "other"}),
    "event-incomplete": manifest("v1", "Event", eventTime="2024-01-02T03:04:05.000000Z"),
    "event-old-style": manifest("events.k8s.io/v1", "Event", regarding={"namespace": "default"}, deprecatedCount=1),
    "role-rule": manifest(_RBAC, "Role", rules=[{}]),
    "role-url": manifest(_RBAC, "Role", rules=[{"verbs": ["get"], "nonResourceURLs": ["/x"], "resources": ["a"]}]),
    "role-name": manifest(_RBAC, "Role", name="a%b"),
    "rolebinding-kind": manifest(_RBAC, "RoleBinding", roleRef={"kind": "User", "name": ""}),
    "clusterrolebinding-role": manifest(_RBAC, "ClusterRoleBinding", roleRef={"kind": "Role", "name": "r"}),
    "rolebinding-subjects": manifest(
        _RBAC,
        "RoleBinding",
        roleRef={"kind": "Role", "name": "r"},
        subjects=[
            {"kind": "Robot", "name": "x"},
            {"kind": "User", "apiGroup": "x", "name": ""},
            {"kind": "ServiceAccount", "name": "A", "apiGroup": "x"},
        ],
    ),
    "pod-empty": manifest("v1", "Pod"),
    "pod-name": manifest("v1", "Pod", name="a_b", spec=POD_SPEC),
    "pod-container-name": container(name="a.b"),
    "pod-container-incomplete": pod(containers=[{}]),
    "pod-container-twice": pod(containers=[CONTAINER, CONTAINER]),
    "pod-init-container-twice": pod(initContainers=[CONTAINER]),
    "pod-init-probe": pod(initContainers=[{**CONTAINER, "name": "i", "livenessProbe": {"exec": {"command": ["a"]}}}]),
    "pod-policies": pod(restartPolicy="Sometimes", dnsPolicy="Guess"),
    "pod-pull-policy": container(imagePullPolicy="Maybe"),
    "pod-image-space": container(image=" nginx"),
    "pod-port-range": container(ports=[{"containerPort": 70000}, {"name": "a--b", "containerPort": 1}, {}]),
    "pod-port-twice": container(ports=[{"name": "a", "containerPort": 1}, {"name": "a", "containerPort": 2}]),
    "pod-port-protocol": container(ports=[{"containerPort": 1, "protocol": "ICMP"}]),
    "pod-host-port-twice": container(
        ports=[{"containerPort": 1, "hostPort": 5}, {"containerPort": 2, "hostPort": 5}],
    ),
    "pod-env-name": container(env=[{"name": "a=b"}, {}]),
    "pod-env-source": container(env=[{"name": "A", "value": "x", "valueFrom": {"fieldRef": {"fieldPath": "spec.x"}}}]),
    "pod-env-empty-source": container(env=[{"name": "A", "valueFrom": {}}]),
    "pod-env-from": container(envFrom=[{}, {"configMapRef": {}}]),
    "pod-requests-over-limits": container(resources={"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}),
    "pod-negative-request": container(resources={"requests": {"memory": "-1"}}),
    "pod-unknown-resource": container(resources={"limits": {"gpu": "1"}}),
    "pod-extended-resource": container(resources={"requests": {"example.com/gpu": "0.5"}}),
    "pod-probe-without-handler": container(livenessProbe={"periodSeconds": -1}),
    "pod-probe-threshold": container(livenessProbe={"tcpSocket": {"port": 0}, "successThreshold": 2}),
    "pod-two-handlers": container(
        readinessProbe={"exec": {}, "httpGet": {"port": "x y", "scheme": "FTP", "httpHeaders": [{"name": "a b"}]}}
    ),
    "pod-volume-twice": pod(volumes=[{"name": "v"}, {"name": "v"}]),
    "pod-volume-sources": pod(
        volumes=[
            {"name": "Bad"},
            {"name": "a", "configMap": {"defaultMode": 1000}},
            {"name": "b", "secret": {"items": [{"key": "", "path": "../x"}]}},
            {"name": "c", "hostPath": {"path": "/a/.."}},
            {"name": "d", "persistentVolumeClaim": {}},
        ]
    ),
    "pod-two-volume-types": pod(volumes=[{"name": "v", "emptyDir": {}, "hostPath": {"path": "/"}}]),
    "pod-mounts": pod(
        volumes=[{"name": "v"}],
        containers=[
            {
                **CONTAINER,
                "volumeMounts": [
                    {"name": "missing", "mountPath": "/a"},
                    {"name": "v", "mountPath": "/a", "subPath": "/x"},
                    {"name": "v"},
                ],
            }
        ],
    ),
    "pod-tolerations": pod(
        tolerations=[{"operator": "Equal"}, {"key": "a", "operator": "Near"}, {"key": "a", "tolerationSeconds": 1}]
    ),
    "pod-names": pod(hostname="a.b", serviceAccountName="A", nodeName="_", activeDeadlineSeconds=0),
    "pod-node-selector": pod(nodeSelector={"a b": "c d"}),
    "pod-host-network-port": manifest(
        "v1",
        "Pod",
        spec={"hostNetwork": True, "containers": [{**CONTAINER, "ports": [{"containerPort": 1, "hostPort": 2}]}]},
    ),
    "pod-dns": pod(dnsPolicy="None"),
    "pod-user": container(securityContext={"runAsUser": -1}),
    "deployment-empty": manifest("apps/v1", "Deployment"),
    "deployment-selector": deployment(selector={"matchLabels": {"app": "y"}}),
    "deployment-empty-selector": deployment(selector={}),
    "deployment-bad-selector": deployment(selector={"matchExpressions": [{"key": "a", "operator": "Near"}]}),
    "deployment-numbers": deployment(
        replicas=-1, minReadySeconds=-1, revisionHistoryLimit=-1, progressDeadlineSeconds=-1
    ),
    "deployment-deadline": deployment(minReadySeconds=600),
    "deployment-strategy": deployment(strategy={"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "0%"}}),
    "deployment-percentages": deployment(strategy={"rollingUpdate": {"maxSurge": "x", "maxUnavailable": "101%"}}),
    "deployment-recreate": deployment(strategy={"type": "Recreate", "rollingUpdate": {}}),
    "deployment-restart-policy": deployment(
        template={"metadata": {"labels": {"app": "x"}}, "spec": {**POD_SPEC, "restartPolicy": "Never"}}
    ),
    "replicaset-empty": manifest("apps/v1", "ReplicaSet"),
    "statefulset-empty": manifest("apps/v1", "StatefulSet"),
    "statefulset-policies": stateful_set(
        podManagementPolicy="x", persistentVolumeClaimRetentionPolicy={"whenScaled": "x"}
    ),
    "statefulset-claims": stateful_set(
        volumeClaimTemplates=[{"metadata": {"name": "a"}, "spec": {"accessModes": ["x"]}}]
    ),
    "statefulset-service-name": stateful_set(serviceName="A"),
    "daemonset-empty": manifest("apps/v1", "DaemonSet"),
    "daemonset-strategy": daemon_set(updateStrategy={"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}}),
    "daemonset-strategy-zero": daemon_set(updateStrategy={"rollingUpdate": {"maxUnavailable": 0}}),
    "job-restart-policy": job(template={"spec": POD_SPEC}),
    "job-numbers": job(parallelism=-1, completions=-1, backoffLimit=-1, ttlSecondsAfterFinished=-1),
    "job-mode": job(completionMode="Odd"),
    "job-index-limits": job(backoffLimitPerIndex=1),
    "job-manual-selector": job(manualSelector=True),
    "job-manager": job(managedBy="me"),
    "cronjob-without-schedule": cron_job(schedule=""),
    "cronjob-schedule": cron_job(schedule="61 * * * *"),
    "cronjob-fields": cron_job(schedule="* * *"),
    "cronjob-descriptor": cron_job(schedule="@often"),
    "cronjob-time-zone": cron_job(timeZone="Mars/Olympus", schedule="TZ=UTC * * * * *"),
    "cronjob-policy": cron_job(concurrencyPolicy="Maybe", successfulJobsHistoryLimit=-1),
    "cronjob-name": manifest("batch/v1", "CronJob", name="a" * 53, spec=cron_job()["spec"]),
    "service-without-ports": manifest("v1", "Service"),
    "service-ports": service({"port": 0}, {"port": 80, "targetPort": "--"}),
    "service-port-names": service({"name": "A", "port": 1}, {"name": "b", "port": 2}, {"name": "b", "port": 3}),
    "service-port-twice": service({"name": "a", "port": 1}, {"name": "b", "port": 1}),
    "service-type": service(type="Magic"),
    "service-node-port": service({"port": 80, "nodePort": 30001}),
    "service-address": service(clusterIP="1.2.3.4"),
    "service-no-address": service(clusterIP="x"),
    "service-headless-node-port": service(type="NodePort", clusterIP="None"),
    "service-external-name": service(type="ExternalName"),
    "service-affinity": service(sessionAffinity="Sticky"),
    "service-external-policy": service(externalTrafficPolicy="Local"),
    "service-load-balancer-fields": service(loadBalancerClass="x", allocateLoadBalancerNodePorts=True),
    "service-name": manifest("v1", "Service", name="a.b", spec={"ports": [{"port": 80}]}),
    "ingress-empty": ingress(),
    "ingress-backend": ingress(defaultBackend={}),
    "ingress-path-type": http({"backend": _BACKEND}),
    "ingress-path": http({"path": "x//y/..", "pathType": "Exact", "backend": _BACKEND}),
    "ingress-host": ingress(rules=[{"host": "1.2.3.4"}, {"host": "*x"}, {"host": "A"}], tls=[{"hosts": ["_"]}]),
    "ingress-service": http({"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "A"}}}),
    "networkpolicy-port": network_policy(ingress=[{"ports": [{"port": 0, "protocol": "x"}, {"endPort": 5}]}]),
    "networkpolicy-peer": network_policy(
        ingress=[{"from": [{}, {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["11.0.0.0/8"]}, "podSelector": {}}]}]
    ),
    "networkpolicy-types": network_policy(policyTypes=["Sideways"]),
    "poddisruptionbudget-both": manifest(
        "policy/v1", "PodDisruptionBudget", spec={"minAvailable": 1, "maxUnavailable": "200%"}
    ),
    "webhook-name": webhook(name="short"),
    "webhook-side-effects": webhook(sideEffects=None),
    "webhook-some-side-effects": webhook(sideEffects="Some"),
    "webhook-versions": webhook(admissionReviewVersions=["v2", "v2"]),
    "webhook-timeout": webhook(timeoutSeconds=31),
    "webhook-policies": webhook(failurePolicy="Retry", matchPolicy="Any"),
    "webhook-client": webhook(clientConfig={}),
    "webhook-url": webhook(clientConfig={"url": "http://me@example.com/?q#f"}),
    "webhook-service": webhook(clientConfig={"service": {"name": "", "namespace": "n", "path": "x//y", "port": 0}}),
    "webhook-empty-rule": webhook(rules=[{}]),
    "webhook-rule": webhook(rules=[{**_RULE, "operations": ["*", "READ"], "resources": ["*/*", "pods"], "scope": "x"}]),
    "webhook-selector": webhook(objectSelector={"matchLabels": {"a b": "c"}}),
    "webhook-condition": webhook(matchConditions=[{"name": "", "expression": ""}]),
}
