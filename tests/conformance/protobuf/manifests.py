"""Objects with as many kinds of fields as possible: what protobuf and JSON write in different ways."""

from typing import Any

from tests.conformance.builtin.manifests import CONTAINER, MINIMAL, RICH, manifest
from tests.conformance.kinds import GADGET, WIDGET

_HTTP = {"path": "/", "port": "http", "host": "h", "scheme": "HTTPS", "httpHeaders": [{"name": "X-A", "value": ""}]}
_TIMES = {
    "initialDelaySeconds": 1,
    "timeoutSeconds": 2,
    "periodSeconds": 3,
    "successThreshold": 1,
    "failureThreshold": 4,
}
_SOURCES: dict[str, Any] = {
    "hostPath": {"path": "/", "type": "Directory"},
    "emptyDir": {"medium": "Memory", "sizeLimit": "1.5Gi"},
    "secret": {"secretName": "s", "items": [{"key": "k", "path": "p", "mode": 256}], "optional": False},
    "nfs": {"server": "s", "path": "/", "readOnly": True},
    "iscsi": {"targetPortal": "1.2.3.4", "iqn": "iqn.2001-04.com.example:s", "lun": 0, "portals": ["a"]},
    "persistentVolumeClaim": {"claimName": "c", "readOnly": True},
    "downwardAPI": {
        "items": [
            {"path": "a", "fieldRef": {"fieldPath": "metadata.name"}},
            {"path": "b", "resourceFieldRef": {"containerName": "main", "resource": "limits.cpu", "divisor": "1m"}},
        ],
        "defaultMode": 0,
    },
    "configMap": {"name": "c", "optional": True},
    "projected": {
        "sources": [
            {"secret": {"name": "s"}},
            {"downwardAPI": {"items": [{"path": "x", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
            {"serviceAccountToken": {"audience": "a", "expirationSeconds": 601, "path": "t"}},
        ]
    },
    "csi": {"driver": "d.example.com", "volumeAttributes": {"a": "b"}, "nodePublishSecretRef": {"name": "n"}},
    "ephemeral": {
        "volumeClaimTemplate": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        }
    },
    "image": {"reference": "example.com/i", "pullPolicy": "Always"},
}
_POD: Any = {
    "volumes": [{"name": f"v{index}", kind: source} for index, (kind, source) in enumerate(_SOURCES.items())],
    "containers": [
        {
            "name": "main",
            "image": "i",
            "command": ["a"],
            "args": ["", "b"],
            "workingDir": "/",
            "ports": [{"name": "http", "containerPort": 80, "hostPort": 0, "protocol": "UDP"}],
            "env": [
                {"name": "A", "value": ""},
                {"name": "B", "valueFrom": {"resourceFieldRef": {"resource": "requests.memory"}}},
                {"name": "C", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k", "optional": True}}},
            ],
            "envFrom": [{"prefix": "P_", "secretRef": {"name": "s", "optional": False}}],
            "resources": {
                "limits": {"cpu": "100m", "memory": "1.5Gi", "example.com/gpu": "2"},
                "requests": {"cpu": "1e-1"},
            },
            "volumeMounts": [{"name": "v0", "mountPath": "/v0", "subPathExpr": "$(A)", "mountPropagation": "None"}],
            "livenessProbe": {"httpGet": _HTTP, **_TIMES, "terminationGracePeriodSeconds": 1},
            "readinessProbe": {"grpc": {"port": 1, "service": ""}},
            "startupProbe": {"tcpSocket": {"port": 8080}, "exec": None},
            "lifecycle": {"postStart": {"sleep": {"seconds": 0}}, "preStop": {"exec": {"command": ["x"]}}},
            "securityContext": {
                "capabilities": {"add": ["A"], "drop": ["ALL"]},
                "runAsUser": 0,
                "runAsNonRoot": False,
                "seccompProfile": {"type": "Localhost", "localhostProfile": "p"},
                "procMount": "Default",
            },
            "stdin": True,
            "tty": False,
        }
    ],
    "nodeSelector": {},
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]}]
            },
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {
                    "weight": 1,
                    "preference": {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]},
                }
            ],
        },
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"a": "b"}}, "topologyKey": "z", "namespaceSelector": {}}
            ]
        },
    },
    "tolerations": [{"operator": "Exists", "tolerationSeconds": 0, "effect": "NoExecute"}],
    "hostAliases": [{"ip": "1.2.3.4", "hostnames": ["h"]}],
    "dnsConfig": {"nameservers": ["1.2.3.4"], "options": [{"name": "ndots", "value": "1"}, {"name": "edns0"}]},
    "readinessGates": [{"conditionType": "example.com/a"}],
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": "z",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {},
            "minDomains": None,
        }
    ],
    "serviceAccountName": "default",
    "enableServiceLinks": False,
    "shareProcessNamespace": True,
    "automountServiceAccountToken": False,
    "activeDeadlineSeconds": 1,
    "securityContext": {
        "supplementalGroups": [0, 1, 2**31 - 1],
        "sysctls": [{"name": "kernel.shm_rmid_forced", "value": "0"}],
        "fsGroupChangePolicy": "Always",
    },
}
_SCHEMA: Any = {
    "type": "object",
    "description": "of everything something",
    "required": ["a"],
    "x-kubernetes-validations": [
        {
            "rule": "has(self.a) || oldSelf.hasValue()",
            "message": "m",
            "reason": "FieldValueInvalid",
            "fieldPath": ".a",
            "optionalOldSelf": True,
        }
    ],
    "properties": {
        "a": {
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 100,
            "exclusiveMaximum": True,
            "default": 1,
        },
        "b": {"type": "number", "minimum": -1.5, "multipleOf": 0.25, "default": 0.5, "nullable": True},
        "c": {
            "type": "string",
            "enum": ["x", "", None],
            "minLength": 0,
            "maxLength": 5,
            "pattern": "^x*$",
            "title": "t",
        },
        "d": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "string"}}, "minItems": 0},
        "e": {
            "type": "object",
            "additionalProperties": True,
            "externalDocs": {"url": "http://u"},
            "example": {"a": []},
        },
        "f": {"type": "object", "default": {"deep": [1, {"er": None}]}, "x-kubernetes-preserve-unknown-fields": True},
        "g": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        "h": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
            "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}}},
        },
        "i": {
            "type": "object",
            "oneOf": [{"required": ["x"]}],
            "not": {"required": ["y"]},
            "x-kubernetes-map-type": "atomic",
        },
    },
}
_GROUP = "protobuf.windlass.dev"


def _in_a_group_of_its_own(definition: Any) -> Any:
    """Other cases of the same server use the definitions as they are."""
    spec = definition["spec"]
    return {
        **definition,
        "metadata": {"name": f"{spec['names']['plural']}.{_GROUP}"},
        "spec": {**spec, "group": _GROUP},
    }


_DEFINITION = {
    **WIDGET,
    "metadata": {"name": f"messages.{_GROUP}"},
    "spec": {
        "group": _GROUP,
        "scope": "Cluster",
        "names": {"kind": "Message", "plural": "messages", "shortNames": ["m"], "categories": ["all"]},
        "conversion": {
            "strategy": "Webhook",
            "webhook": {
                "clientConfig": {"service": {"name": "s", "namespace": "n", "port": 444}, "caBundle": ""},
                "conversionReviewVersions": ["v1"],
            },
        },
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": _SCHEMA},
                "subresources": {
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a"},
                },
                "additionalPrinterColumns": [{"name": "A", "type": "integer", "jsonPath": ".a", "priority": 0}],
            },
            {
                "name": "v2",
                "served": False,
                "storage": False,
                "deprecated": True,
                "schema": {"openAPIV3Schema": _SCHEMA},
            },
        ],
    },
}

_ALL: dict[str, Any] = {
    **{f"minimal-{name}": one for name, one in MINIMAL.items()},
    **{f"rich-{name}": one for name, one in RICH.items()},
    "pod": manifest("v1", "Pod", spec=_POD),
    "deployment": manifest(
        "apps/v1",
        "Deployment",
        spec={
            "selector": {"matchLabels": {"a": "b"}},
            "template": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {**_POD, "overhead": {"cpu": "250m"}, "activeDeadlineSeconds": None},
            },
        },
    ),
    "service": manifest(
        "v1",
        "Service",
        spec={
            "type": "NodePort",
            "ports": [{"name": "a", "port": 1, "targetPort": "x"}, {"name": "b", "port": 2, "targetPort": 0}],
            "sessionAffinity": "ClientIP",
            "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 5}},
        },
    ),
    "node": manifest("v1", "Node", spec={"taints": [{"key": "a", "effect": "NoExecute", "timeAdded": None}]}),
    "secret": manifest("v1", "Secret", data={"a": "", "b": "AAEC/w=="}, immutable=True),
    "config-map": manifest("v1", "ConfigMap", data={"": "x"}, binaryData={"b": "/w=="}) | {"data": {"x": "ä"}},
    "lease": manifest(
        "coordination.k8s.io/v1",
        "Lease",
        spec={
            "leaseDurationSeconds": 1,
            "acquireTime": "2024-01-02T03:04:05.000001Z",
            "renewTime": "1969-12-31T23:59:59.500000Z",
        },
    ),
    "event": manifest(
        "v1",
        "Event",
        involvedObject={"namespace": "default", "kind": "Pod", "name": "p"},
        firstTimestamp="2024-01-02T03:04:05Z",
        lastTimestamp=None,
        eventTime="2024-01-02T03:04:05.999999Z",
        count=0,
        series={"count": 1, "lastObservedTime": "2024-01-02T03:04:05.500000Z"},
        reportingComponent="example.com/c",
        reportingInstance="i",
        action="A",
        type="Normal",
        reason="R",
        source={"component": "c"},
    ),
    "job": manifest(
        "batch/v1",
        "Job",
        spec={
            "parallelism": 0,
            "completions": 5,
            "completionMode": "Indexed",
            "activeDeadlineSeconds": 1,
            "podFailurePolicy": {
                "rules": [
                    {"action": "FailJob", "onExitCodes": {"containerName": "main", "operator": "In", "values": [1, 2]}}
                ]
            },
            "successPolicy": {"rules": [{"succeededIndexes": "0-1", "succeededCount": 1}]},
            "template": {"spec": {"containers": [CONTAINER], "restartPolicy": "Never"}},
        },
    ),
    "network-policy": manifest(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        spec={
            "podSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
            "policyTypes": ["Ingress", "Egress"],
            "egress": [{"ports": [{"port": "dns", "protocol": "UDP"}, {"port": 1000, "endPort": 2000}]}],
        },
    ),
    "cluster-role": manifest(
        "rbac.authorization.k8s.io/v1",
        "ClusterRole",
        aggregationRule={"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]},
        rules=None,
    ),
    "role-binding": manifest(
        "rbac.authorization.k8s.io/v1",
        "RoleBinding",
        subjects=[{"kind": "ServiceAccount", "name": "a", "namespace": "default"}, {"kind": "User", "name": "u"}],
        roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
    ),
    "definition": _DEFINITION,
    "widget-definition": _in_a_group_of_its_own(WIDGET),
    "gadget-definition": _in_a_group_of_its_own(GADGET),
}


def _named(name: str, one: Any) -> Any:
    """Each under a name of its own: without controllers, a namespace stays for ever."""
    if one["kind"] == "CustomResourceDefinition":
        return one
    return {**one, "metadata": {**one["metadata"], "name": name}}


MANIFESTS: dict[str, Any] = {name: _named(name, one) for name, one in _ALL.items()}
_CONDITION = {
    "type": "Ready",
    "status": "True",
    "lastTransitionTime": "2024-01-02T03:04:05Z",
    "message": "",
    "reason": "R",
}
# Of the objects above, by their names.
STATUSES: dict[str, Any] = {
    "pod": {
        "phase": "Running",
        "conditions": [{**_CONDITION, "lastProbeTime": None}],
        "podIP": "1.2.3.4",
        "podIPs": [{"ip": "1.2.3.4"}],
        "startTime": "2024-01-02T03:04:05Z",
        "containerStatuses": [
            {
                "name": "main",
                "state": {"waiting": {"reason": "X"}},
                "lastState": {"terminated": {"exitCode": 0, "startedAt": None, "finishedAt": "2024-01-02T03:04:05Z"}},
                "ready": False,
                "restartCount": 0,
                "image": "",
                "imageID": "",
                "started": False,
                "allocatedResources": {"cpu": "1"},
            }
        ],
        "initContainerStatuses": [],
    },
    "rich-deployment": {"replicas": 0, "unavailableReplicas": 2, "conditions": [_CONDITION], "collisionCount": 0},
    "node": {
        "capacity": {"cpu": "2", "memory": "1.5Gi"},
        "conditions": [{**_CONDITION, "lastHeartbeatTime": "2024-01-02T03:04:05Z"}],
        "addresses": [{"type": "InternalIP", "address": "1.2.3.4"}],
        "images": [{"names": ["a"], "sizeBytes": 2**40}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
    },
    "job": {"active": 1, "ready": 0, "startTime": "2024-01-02T03:04:05Z", "uncountedTerminatedPods": {}},
    "rich-ingress": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4", "ports": [{"port": 1, "protocol": "TCP"}]}]}},
    "rich-poddisruptionbudget": {
        "disruptedPods": {"a": "2024-01-02T03:04:05Z"},
        "currentHealthy": 1,
        "expectedPods": 0,
    },
}
_ATTRIBUTES = {"namespace": "default", "verb": "get", "resource": "pods"}
# Kinds that nothing is stored of.
QUESTIONS: dict[str, Any] = {
    "token-review": {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenReview",
        "spec": {"token": "x", "audiences": ["a"]},
    },
    "self-subject-review": {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"},
    "self-subject-access-review": {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": _ATTRIBUTES},
    },
    "subject-access-review": {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": "u", "groups": ["g"], "extra": {"a": ["b", ""]}, "nonResourceAttributes": {"path": "/"}},
    },
    "local-subject-access-review": {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "LocalSubjectAccessReview",
        "metadata": {"namespace": "default"},
        "spec": {"user": "u", "resourceAttributes": _ATTRIBUTES},
    },
    "self-subject-rules-review": {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": "default"},
    },
}
