"""The Service and the Ingress of a bundle, and its autoscaler, as manifests."""

from typing import Any

from apis.cfworker.ingress import IngressMode
from apis.cfworker.workerbundle import BundledWorker, WorkerBundle
from controllers.workerbundle.deployment import child_labels, pod_labels
from controllers.workers.names import (
    LABEL_LENGTH,
    autoscaler_name,
    deployment_name,
    ingress_name,
    service_name,
    slug,
)

# What makes the rest of the path, and only that, reach the worker.
_PATH_ANNOTATIONS = {
    "nginx.ingress.kubernetes.io/use-regex": "true",
    "nginx.ingress.kubernetes.io/rewrite-target": "/$2",
}


def service(bundle: WorkerBundle) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": service_name(bundle.spec.deployment_name), "labels": child_labels(bundle)},
        "spec": {
            "type": "ClusterIP",
            "selector": pod_labels(bundle),
            "ports": [
                {
                    "name": f"p{each.worker_number}",
                    "port": each.worker_number,
                    "targetPort": each.worker_number,
                    "protocol": "TCP",
                }
                for each in bundle.spec.workers
            ],
        },
    }


def ingress(bundle: WorkerBundle, default_host: str) -> dict[str, Any] | None:
    options = bundle.spec.ingress
    exposed = [each for each in bundle.spec.workers if each.exposed]
    if not options.enabled or not exposed:
        return None
    host, is_by_path = options.host or default_host, options.mode is IngressMode.PATH
    rules = [_path_rule(bundle, exposed, host)] if is_by_path else [_host_rule(bundle, each, host) for each in exposed]
    annotations = {**(_PATH_ANNOTATIONS if is_by_path else {}), **options.annotations}
    metadata: dict[str, Any] = {"name": ingress_name(bundle.spec.deployment_name), "labels": child_labels(bundle)}
    if annotations:
        metadata["annotations"] = annotations
    spec: dict[str, Any] = {"rules": rules}
    if options.class_name:
        spec["ingressClassName"] = options.class_name
    if options.tls_secret_name:
        spec["tls"] = [{"hosts": [rule["host"] for rule in rules], "secretName": options.tls_secret_name}]
    return {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata, "spec": spec}


def autoscaler(bundle: WorkerBundle) -> dict[str, Any] | None:
    options = bundle.spec.pod_template.autoscaling
    if options is None:
        return None
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": deployment_name(bundle.spec.deployment_name)}
    cpu = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": options.target_cpu_utilization}}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": autoscaler_name(bundle.spec.deployment_name), "labels": child_labels(bundle)},
        "spec": {
            "scaleTargetRef": target,
            "minReplicas": options.min_replicas,
            "maxReplicas": options.max_replicas,
            "metrics": [{"type": "Resource", "resource": cpu}],
        },
    }


def _path_rule(bundle: WorkerBundle, workers: list[BundledWorker], host: str) -> dict[str, Any]:
    paths = [
        {
            "path": f"/{each.worker_name}(/|$)(.*)",
            "pathType": "ImplementationSpecific",
            "backend": _backend(bundle, each),
        }
        for each in workers
    ]
    return {"host": host, "http": {"paths": paths}}


def _host_rule(bundle: WorkerBundle, worker: BundledWorker, host: str) -> dict[str, Any]:
    path = {"path": "/", "pathType": "Prefix", "backend": _backend(bundle, worker)}
    return {"host": f"{slug(worker.worker_name, LABEL_LENGTH)}.{host}", "http": {"paths": [path]}}


def _backend(bundle: WorkerBundle, worker: BundledWorker) -> dict[str, Any]:
    name = service_name(bundle.spec.deployment_name)
    return {"service": {"name": name, "port": {"number": worker.worker_number}}}
