"""The flags of the binary, and the modes they belong to."""

from controllers.cfapi.flags import CF_API_FLAGS, CF_API_MODE, CF_API_MODES
from controllers.explain import DEFAULT_ADDRESS
from controllers.hosted import CONTROLLERS, SYSTEMS
from controllers.laf.settings import LafSettings
from controllers.options import (
    Flag,
    address,
    duration,
    duration_of_at_least,
    label_value,
    list_of_namespaces,
    loopback_address,
    namespace_name,
    namespace_prefix,
    number_of_at_least,
    object_name,
    one_of,
    port,
    some_of,
    switch,
)
from controllers.peerpods.flags import PEER_POD_FLAGS
from controllers.requeststate.flow import Flow
from controllers.workerbuild.flags import WORKER_BUILD_FLAGS, WORKER_BUILD_MODES
from controllers.workers.flags import WORKERS_FLAGS

MODES = {
    "director": "creates RequestStates and decides which job of each comes next",
    "worker": "does the jobs",
    "standalone": "both, with an API server of its own in the same process",
    "manager": "hosts controllers: " + ", ".join(CONTROLLERS),
    **CF_API_MODES,
    **WORKER_BUILD_MODES,
}
_DIRECTOR, _WORKER, _STANDALONE = ("director", "standalone"), ("worker", "standalone"), ("standalone",)
_FLOW, _MANAGER = ("director", "worker", "standalone"), ("manager",)
_CONNECTED = ("director", "worker", "manager", CF_API_MODE)
_SERVING = (*_FLOW, "manager")
_LEADING = ("director", "standalone", "manager")
_ONE_SECOND, _SOME_TIME = duration_of_at_least(1.0), duration_of_at_least(0.001)
_LAF = LafSettings()
FLAGS = (
    Flag("mode", "what this process does", "director"),
    Flag("namespace", "where the custom resources are", "default", namespace_name, (*_FLOW, CF_API_MODE)),
    Flag("kubeconfig", "path of a kubeconfig; else $KUBECONFIG, the service account, ~/.kube/config", modes=_CONNECTED),
    Flag("master", "address of the API server, instead of the one in the kubeconfig", modes=_CONNECTED),
    Flag("data-dir", "where the API server keeps what is written; empty: in memory", modes=_STANDALONE),
    Flag("secure-port", "port of the API server on loopback; 0: any free one", "0", port, _STANDALONE),
    Flag("requests", "requests to create; 0: none, and run until SIGTERM", "1", number_of_at_least(0), _DIRECTOR),
    Flag("jobs", "the flow of requests that name none themselves", "JOB1,JOB2", Flow.parse, _DIRECTOR),
    Flag("name", "name of the one request to create; else a UUID", "", object_name, _DIRECTOR),
    Flag("output", "how progress is shown: text or json", "text", one_of("text", "json"), _DIRECTOR),
    Flag("leader-elect", "only one replica at a time decides", "true", switch, _LEADING),
    Flag("lease-name", "name of the Lease that replicas share; else windlass-MODE", "", object_name, _LEADING),
    Flag("lease-duration", "how long others wait for a leader that is silent", "15s", _ONE_SECOND, _LEADING),
    Flag("lease-renew-deadline", "how long a leader tries to renew before it gives up", "10s", duration, _LEADING),
    Flag("lease-retry-period", "how long to wait between two tries", "2s", duration, _LEADING),
    Flag("job-duration", "how long the sample jobs take", "2s", duration, _WORKER),
    Flag("job-retries", "how often a job that failed is tried again", "3", number_of_at_least(0), _WORKER),
    Flag("claim-duration", "how long a claim lives without being renewed", "30s", _ONE_SECOND, _WORKER),
    Flag("concurrency", "how many requests are worked on at the same time", "8", number_of_at_least(1), _FLOW),
    Flag(
        "controllers",
        f"which ones to host, with commas between, or all of a system: {', '.join(SYSTEMS)}; empty: all",
        "",
        some_of(SYSTEMS),
        _MANAGER,
    ),
    Flag("namespaces", "to watch, with commas between; empty: all", "", list_of_namespaces, _MANAGER),
    Flag(
        "system-namespace",
        "where Bundles, Runtimes and, with laf, the Lease are",
        _LAF.system_namespace,
        namespace_name,
        _MANAGER,
        "SYSTEM_NAMESPACE",
    ),
    Flag(
        "app-namespace-prefix",
        "how the namespaces that a CreationForm makes begin",
        _LAF.app_namespace_prefix,
        namespace_prefix,
        _MANAGER,
        "APP_NAMESPACE_PREFIX",
    ),
    Flag(
        "appid-length",
        "of the ids that a CreationForm chooses",
        str(_LAF.appid_length),
        number_of_at_least(3),
        _MANAGER,
        "APPID_LENGTH",
    ),
    Flag("form-ttl", "how long a fulfilled CreationForm is kept", "600s", duration, _MANAGER, "FORM_TTL"),
    Flag("resync", "how often everything is looked at", "600s", _ONE_SECOND, _MANAGER, "RESYNC"),
    Flag(
        "workers", "reconciles at a time, per controller", str(_LAF.workers), number_of_at_least(1), _MANAGER, "WORKERS"
    ),
    Flag(
        "hub-id",
        "marks our objects on remote clusters; else the uid of kube-system",
        "",
        label_value,
        _MANAGER,
        "HUB_ID",
    ),
    Flag("probe-period", "how often a ready Cluster is asked", "30s", _SOME_TIME, _MANAGER, "PROBE_PERIOD"),
    Flag(
        "probe-failures",
        "in a row, before a Cluster is not ready",
        str(_LAF.probe_failures),
        number_of_at_least(1),
        _MANAGER,
        "PROBE_FAILURES",
    ),
    Flag("connect-timeout", "for a connection to a remote cluster", "5s", _SOME_TIME, _MANAGER, "CONNECT_TIMEOUT"),
    Flag("remote-timeout", "for a request to a remote cluster", "10s", _SOME_TIME, _MANAGER, "REMOTE_TIMEOUT"),
    Flag(
        "allow-insecure-clusters",
        "kubeconfigs of Clusters may say insecure-skip-tls-verify",
        "false",
        switch,
        _MANAGER,
        "ALLOW_INSECURE_CLUSTERS",
    ),
    *PEER_POD_FLAGS,
    *CF_API_FLAGS,
    *WORKER_BUILD_FLAGS,
    *WORKERS_FLAGS,
    Flag("grace-period", "how long a stop may take", "30s", duration, (*_SERVING, CF_API_MODE)),
    Flag(
        "health-probe-bind-address",
        "where /healthz and /readyz are served, e.g. :8081; 0: nowhere",
        "0",
        address,
        _SERVING,
    ),
    Flag("metrics-bind-address", "where /metrics is served, e.g. :8443; 0: nowhere", "0", address, _SERVING),
    Flag("metrics-secure", "over TLS, for those whom the API server lets get /metrics", "true", switch, _SERVING),
    Flag(
        "metrics-cert-dir",
        "with tls.crt and tls.key for /metrics; else this process signs one for itself",
        modes=_SERVING,
    ),
    Flag(
        "debug-bind-address",
        "where `windlass explain` asks, on loopback; 0: nowhere",
        DEFAULT_ADDRESS,
        loopback_address,
        _SERVING,
    ),
    Flag("log-level", "debug, info, warning or error", "info", one_of("debug", "info", "warning", "error")),
    Flag("log-format", "json, text, or auto: text on a terminal", "auto", one_of("auto", "json", "text")),
)
