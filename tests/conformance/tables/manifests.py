"""One object or more of every built-in kind, with what their columns show."""

from typing import Any, TypeAlias

# Group, version, plural, kind, status to write, manifest.
Manifest: TypeAlias = tuple[str, str, str, str, dict[str, Any] | None, dict[str, Any]]

_CONTAINERS = [{"name": "web", "image": "web:1"}, {"name": "side", "image": "side:1"}]
_TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": _CONTAINERS}}
_SELECTOR = {"matchLabels": {"app": "web"}}
_ONCE = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": "once", "image": "once:1"}], "restartPolicy": "Never"},
}


def _named(name: str, **fields: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, **fields}


def _status_of(name: str, state: dict[str, Any], **fields: Any) -> dict[str, Any]:
    status = {"name": name, "image": "i", "imageID": "", "ready": False, "restartCount": 0, "state": state}
    return status | fields


def _ended(code: int, reason: str = "") -> dict[str, Any]:
    times = {"startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:01:00Z"}
    return {"terminated": {"exitCode": code, **({"reason": reason} if reason else {}), **times}}


_RUNNING = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
_WAITING = {"waiting": {"reason": "CrashLoopBackOff"}}
_INITIALIZING = {"waiting": {"reason": "PodInitializing"}}
_READY = [{"type": "Ready", "status": "True"}, {"type": "Initialized", "status": "True"}]


def _pod(name: str, status: dict[str, Any], **spec: Any) -> Manifest:
    manifest = _named(name, spec={"containers": _CONTAINERS, **spec})
    return ("", "v1", "pods", "Pod", status, manifest)


_SIDECAR = [
    {"name": "first", "image": "f:1"},
    {"name": "proxy", "image": "p:1", "restartPolicy": "Always"},
]

PODS = [
    _pod("new", {}),
    _pod("running", {
        "phase": "Running",
        "conditions": _READY,
        "podIP": "10.0.0.1",
        "podIPs": [{"ip": "10.0.0.1"}],
        "containerStatuses": [
            _status_of("web", _RUNNING, ready=True, restartCount=2, lastState=_ended(1, "Error")),
            _status_of("side", _RUNNING, ready=True),
        ],
    }),
    _pod("crashing", {"phase": "Running", "containerStatuses": [
        _status_of("web", _WAITING, restartCount=5),
        _status_of("side", _RUNNING, ready=True),
    ]}),
    _pod("failed", {"phase": "Failed", "containerStatuses": [
        _status_of("web", _ended(1, "Error")), _status_of("side", _ended(0, "Completed")),
    ]}),
    _pod("signalled", {"phase": "Failed", "containerStatuses": [_status_of("web", _ended(3))]}),
    _pod("succeeded", {"phase": "Succeeded", "containerStatuses": [_status_of("web", _ended(0, "Completed"))]}),
    _pod("evicted", {"phase": "Failed", "reason": "Evicted"}),
    _pod("half-completed", {"phase": "Running", "containerStatuses": [
        _status_of("web", _ended(0, "Completed")), _status_of("side", _RUNNING, ready=True),
    ]}),
    _pod("initializing", {"phase": "Pending", "initContainerStatuses": [
        _status_of("first", _ended(0, "Completed")), _status_of("proxy", _INITIALIZING),
    ]}, initContainers=_SIDECAR),
    _pod("init-failed", {"phase": "Pending", "initContainerStatuses": [
        _status_of("first", _ended(2), restartCount=1),
    ]}, initContainers=_SIDECAR),
    _pod("init-waiting", {"phase": "Pending", "initContainerStatuses": [
        _status_of("first", _WAITING),
    ]}, initContainers=_SIDECAR),
    _pod("with-sidecar", {
        "phase": "Running",
        "conditions": _READY,
        "initContainerStatuses": [
            _status_of("first", _ended(0, "Completed"), restartCount=3),
            _status_of("proxy", _RUNNING, ready=True, started=True, restartCount=1),
        ],
        "containerStatuses": [_status_of("web", _RUNNING, ready=True), _status_of("side", _RUNNING, ready=True)],
    }, initContainers=_SIDECAR),
    _pod("gated", {
        "phase": "Running", "conditions": [{"type": "example.com/ok", "status": "True"}],
    }, readinessGates=[{"conditionType": "example.com/ok"}, {"conditionType": "example.com/no"}]),
    _pod("held", {}, schedulingGates=[{"name": "example.com/gate"}]),
]  # fmt: skip

WORKLOADS: list[Manifest] = [
    ("apps", "v1", "deployments", "Deployment", None, _named(
        "it", spec={"replicas": 0, "selector": _SELECTOR, "template": _TEMPLATE},
    )),
    ("apps", "v1", "replicasets", "ReplicaSet", None, _named(
        "it", spec={"replicas": 0, "selector": {
            "matchLabels": {"app": "web"},
            "matchExpressions": [
                {"key": "tier", "operator": "NotIn", "values": ["b", "a"]},
                {"key": "absent", "operator": "DoesNotExist"},
            ],
        }, "template": _TEMPLATE},
    )),
    ("apps", "v1", "statefulsets", "StatefulSet", None, _named(
        "it", spec={"replicas": 0, "serviceName": "it", "selector": _SELECTOR, "template": _TEMPLATE},
    )),
    ("apps", "v1", "daemonsets", "DaemonSet", None, _named("it", spec={
        "selector": _SELECTOR,
        "template": {**_TEMPLATE, "spec": {"containers": _CONTAINERS, "nodeSelector": {"disk": "ssd", "arch": "x"}}},
    })),
    ("batch", "v1", "jobs", "Job", None, _named("suspended", spec={"template": _ONCE, "suspend": True})),
    ("batch", "v1", "jobs", "Job", None, _named("running", spec={"template": _ONCE})),
    ("batch", "v1", "jobs", "Job", None, _named("parallel", spec={
        "template": _ONCE, "suspend": True, "parallelism": 3, "completions": None,
    })),
    ("batch", "v1", "cronjobs", "CronJob", {
        "lastScheduleTime": "2026-01-01T00:00:00Z",
    }, _named("it", spec={"schedule": "@daily", "timeZone": "Etc/UTC", "jobTemplate": {"spec": {"template": _ONCE}}})),
    ("batch", "v1", "cronjobs", "CronJob", None, _named("plain", spec={
        "schedule": "* * 1 1 *", "suspend": True, "jobTemplate": {"spec": {"template": _ONCE}},
    })),
    ("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", None, _named(
        "it", spec={"minAvailable": 1, "selector": _SELECTOR},
    )),
    ("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", None, _named(
        "percent", spec={"maxUnavailable": "30%", "selector": _SELECTOR},
    )),
]  # fmt: skip

NETWORKING: list[Manifest] = [
    ("", "v1", "services", "Service", None, _named("it", spec={"selector": {"b": "2", "a": "1"}, "ports": [
        {"name": "http", "port": 80}, {"name": "dns", "port": 53, "protocol": "UDP"},
    ]})),
    ("", "v1", "services", "Service", None, _named("headless", spec={"clusterIP": "None", "externalIPs": ["9.9.9.9"]})),
    ("", "v1", "services", "Service", None, _named("node-port", spec={
        "type": "NodePort", "ports": [{"port": 80, "nodePort": 30080}],
    })),
    ("", "v1", "services", "Service", None, _named("pending", spec={"type": "LoadBalancer", "ports": [{"port": 80}]})),
    ("", "v1", "services", "Service", {
        "loadBalancer": {"ingress": [{"hostname": "a.very.long.name.example.com"}, {"ip": "1.2.3.4"}]},
    }, _named("balanced", spec={"type": "LoadBalancer", "externalIPs": ["9.9.9.9"], "ports": [{"port": 80}]})),
    ("", "v1", "services", "Service", None, _named(
        "external", spec={"type": "ExternalName", "externalName": "example.com"},
    )),
    ("networking.k8s.io", "v1", "ingresses", "Ingress", None, _named("it", spec={
        "ingressClassName": "nginx",
        "tls": [{"hosts": ["a.example.com"]}],
        "rules": [{"host": f"{letter}.example.com"} for letter in "abcde"],
    })),
    ("networking.k8s.io", "v1", "ingresses", "Ingress", {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}, _named(
        "plain", spec={"defaultBackend": {"service": {"name": "it", "port": {"number": 80}}}},
    )),
    ("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", None, _named("all", spec={"podSelector": {}})),
    ("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", None, _named("some", spec={
        "podSelector": {"matchExpressions": [{"key": "tier", "operator": "In", "values": ["b", "a"]}]},
    })),
]  # fmt: skip

_INVOLVED = {"kind": "Pod", "name": "it", "namespace": "tables", "fieldPath": "spec.containers{web}"}
_SUBJECTS = [
    {"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "ann"},
    {"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "bob"},
    {"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": "all"},
    {"kind": "ServiceAccount", "name": "default", "namespace": "tables"},
]

OTHERS: list[Manifest] = [
    ("", "v1", "configmaps", "ConfigMap", None, _named("it", data={"a": "1"}, binaryData={"b": "YQ=="})),
    ("", "v1", "secrets", "Secret", None, _named("it", stringData={"a": "1", "b": "2"})),
    ("", "v1", "serviceaccounts", "ServiceAccount", None, _named("it")),
    ("coordination.k8s.io", "v1", "leases", "Lease", None, _named("it", spec={"holderIdentity": "me"})),
    ("coordination.k8s.io", "v1", "leases", "Lease", None, _named("free")),
    ("", "v1", "events", "Event", None, _named(
        "it", involvedObject=_INVOLVED, reason="Started", message=" done \n", type="Normal", count=3,
        source={"component": "kubelet", "host": "node-1"},
        firstTimestamp="2026-01-01T00:00:00Z", lastTimestamp="2026-01-02T00:00:00Z",
    )),
    ("", "v1", "events", "Event", None, _named("bare", involvedObject={"namespace": "tables"})),
    ("events.k8s.io", "v1", "events", "Event", None, _named(
        "newer", regarding=_INVOLVED, reason="Started", note="done", type="Normal", action="Start",
        eventTime="2026-01-01T00:00:00.000000Z", reportingController="example.com/c", reportingInstance="c-1",
    )),
    ("events.k8s.io", "v1", "events", "Event", None, _named(
        "series", regarding=_INVOLVED, reason="Started", note="done", type="Normal", action="Start",
        eventTime="2026-01-01T00:00:00.000000Z", reportingController="example.com/c", reportingInstance="c-1",
        series={"count": 7, "lastObservedTime": "2026-01-03T00:00:00.000000Z"},
    )),
    ("rbac.authorization.k8s.io", "v1", "roles", "Role", None, _named("it", rules=[])),
    ("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding", None, _named(
        "it", roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "it"}, subjects=_SUBJECTS,
    )),
]  # fmt: skip

_WEBHOOK = {
    "name": "a.example.com",
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
    "clientConfig": {"url": "https://127.0.0.1:1"},
}

CLUSTER: list[Manifest] = [
    ("", "v1", "nodes", "Node", None, _named("bare")),
    ("", "v1", "nodes", "Node", {
        "conditions": [{"type": "Ready", "status": "True"}],
        "addresses": [{"type": "InternalIP", "address": "10.1.1.1"}, {"type": "ExternalIP", "address": "8.8.8.8"}],
        "nodeInfo": {
            "kubeletVersion": "v1", "osImage": "Linux", "kernelVersion": "6", "containerRuntimeVersion": "c://1",
            "architecture": "amd64", "bootID": "", "machineID": "", "systemUUID": "", "operatingSystem": "",
            "kubeProxyVersion": "",
        },
    }, {
        "metadata": {"name": "worker", "labels": {
            "node-role.kubernetes.io/worker": "", "kubernetes.io/role": "edge",
        }},
        "spec": {"unschedulable": True},
    }),
    ("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", None, _named("it", rules=[])),
    ("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", None, _named(
        "it", roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "it"},
    )),
    ("admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", None,
     _named("it", webhooks=[_WEBHOOK])),
    ("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", None,
     _named("it")),
]  # fmt: skip

NAMESPACED = [*PODS, *WORKLOADS, *NETWORKING, *OTHERS]
ALL = [*NAMESPACED, *CLUSTER]
