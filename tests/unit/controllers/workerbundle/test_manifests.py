"""What is made for a bundle, as the API server is asked for it."""

from typing import Any

import msgspec

from apis.cfworker.workerbundle import WorkerBundle, WorkerBundleSpec
from apis.core.v1 import Secret
from apis.meta import ObjectMeta, resource_type_of
from controllers.workerbundle.deployment import deployment
from controllers.workerbundle.network import ingress, service
from controllers.workers.keys import IMAGE_SOURCE
from framework.client import Codec
from framework.listers import Lister
from framework.runtime import ThreadRuntime
from framework.store import Store

HOST = "worker.127.0.0.1.sslip.io"
# That of upstream's samples.
SPEC: dict[str, Any] = {
    "deploymentName": "deployment-test",
    "podTemplate": {"image": "nginx", "imagePullSecret": "insert-secret-here"},
    "workers": [
        {
            "workerName": "wasm-worker",
            "workerNumber": 8080,
            "envPrefix": "WASM_WORKER_",
            "secretRef": "secret-accounts-ref",
        },
        {
            "workerName": "artist-worker",
            "workerNumber": 8081,
            "envPrefix": "ARTIST_WORKER_",
            "secretRef": "secret-accounts-ref",
        },
    ],
}


def bundle(annotations: dict[str, str] | None = None, **spec: Any) -> WorkerBundle:
    metadata = ObjectMeta(name="sample", namespace="tenant", annotations=annotations or {})
    return WorkerBundle(metadata=metadata, spec=msgspec.convert({**SPEC, **spec}, WorkerBundleSpec))


def pods(given: WorkerBundle) -> dict[str, Any]:
    secrets: Lister[Secret] = Lister(Store(Codec(Secret, resource_type_of(Secret)).decode, ThreadRuntime()))
    spec: dict[str, Any] = deployment(given, secrets)["spec"]
    return spec


def test_the_pods_of_upstreams_sample_have_its_image_ports_and_secrets() -> None:
    spec = pods(bundle())

    assert spec["replicas"] == 1
    assert spec["selector"] == {"matchLabels": {"app": "deployment-test-pod"}}
    template = spec["template"]
    assert template["metadata"]["labels"]["app"] == "deployment-test-pod"
    assert len(template["metadata"]["annotations"]["api.cf-worker/secrets-version"]) == 64
    pod = template["spec"]
    assert (pod["automountServiceAccountToken"], pod["enableServiceLinks"]) == (False, False)
    assert pod["imagePullSecrets"] == [{"name": "insert-secret-here"}]
    (container,) = pod["containers"]
    assert (container["name"], container["image"]) == ("deployment-test-pod", "nginx")
    assert [(each["name"], each["containerPort"]) for each in container["ports"]] == [("p8080", 8080), ("p8081", 8081)]
    reference = {"name": "secret-accounts-ref", "optional": True}
    assert container["envFrom"] == [
        {"prefix": "WASM_WORKER_", "secretRef": reference},
        {"prefix": "ARTIST_WORKER_", "secretRef": reference},
    ]


def test_an_image_of_others_runs_as_it_likes_and_ours_is_locked_up_and_probed() -> None:
    foreign, ours = pods(bundle()), pods(bundle({IMAGE_SOURCE: "jobbuilder/one"}))

    assert "securityContext" not in foreign["template"]["spec"]
    assert "readinessProbe" not in foreign["template"]["spec"]["containers"][0]
    assert ours["template"]["spec"]["securityContext"]["runAsNonRoot"] is True
    (container,) = ours["template"]["spec"]["containers"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["readinessProbe"] == {"tcpSocket": {"port": 8080}, "periodSeconds": 5}


def test_the_autoscaler_alone_says_how_many_pods_there_are() -> None:
    scaled = {**SPEC["podTemplate"], "autoscaling": {"maxReplicas": 3}}

    assert "replicas" not in pods(bundle(podTemplate=scaled))


def test_the_service_has_a_port_for_each_worker_and_an_address() -> None:
    made = service(bundle())

    assert made["metadata"]["name"] == "deployment-test-svc"
    assert made["spec"]["type"] == "ClusterIP"
    assert "clusterIP" not in made["spec"]
    assert made["spec"]["selector"] == {"app": "deployment-test-pod"}
    ports = [(each["name"], each["port"], each["targetPort"]) for each in made["spec"]["ports"]]
    assert ports == [("p8080", 8080, 8080), ("p8081", 8081, 8081)]


def test_the_ingress_leads_to_that_service_and_keeps_the_rest_of_the_path() -> None:
    made = ingress(bundle(), HOST)

    assert made is not None
    annotations = made["metadata"]["annotations"]
    assert annotations["nginx.ingress.kubernetes.io/use-regex"] == "true"
    assert annotations["nginx.ingress.kubernetes.io/rewrite-target"] == "/$2"
    (rule,) = made["spec"]["rules"]
    assert rule["host"] == HOST
    assert [each["path"] for each in rule["http"]["paths"]] == ["/wasm-worker(/|$)(.*)", "/artist-worker(/|$)(.*)"]
    backends = [each["backend"]["service"] for each in rule["http"]["paths"]]
    assert backends == [{"name": "deployment-test-svc", "port": {"number": port}} for port in (8080, 8081)]


def test_by_host_each_worker_has_a_name_of_its_own_and_no_rewriting() -> None:
    made = ingress(bundle(ingress={"mode": "host", "host": "example.com", "tlsSecretName": "tls"}), HOST)

    assert made is not None
    assert "annotations" not in made["metadata"]
    hosts = ["wasm-worker.example.com", "artist-worker.example.com"]
    assert [each["host"] for each in made["spec"]["rules"]] == hosts
    assert made["spec"]["tls"] == [{"hosts": hosts, "secretName": "tls"}]


def test_who_is_not_exposed_is_not_in_the_ingress_and_without_anybody_there_is_none() -> None:
    first, second = SPEC["workers"]
    hidden = [{**first, "exposed": False}, second]

    made = ingress(bundle(workers=hidden), HOST)

    assert made is not None
    assert len(made["spec"]["rules"][0]["http"]["paths"]) == 1
    assert ingress(bundle(workers=[{**each, "exposed": False} for each in SPEC["workers"]]), HOST) is None
    assert ingress(bundle(ingress={"enabled": False}), HOST) is None
