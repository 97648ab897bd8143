"""The generators of kubectl create, and kubectl run."""

import json

import pytest

from tests.component.program import Program

GENERATORS = {
    "configmap": "configmap x --from-literal=a=b",
    "secret": "secret generic x --from-literal=a=b",
    "docker-secret": "secret docker-registry x --docker-username=u --docker-password=p",
    "deployment": "deployment x --image=a:1 --replicas=2 --port=80",
    "job": "job x --image=a:1 -- sleep 1",
    "cronjob": "cronjob x --image=a:1 --schedule=1_*_*_*_*",
    "service": "service clusterip x --tcp=80:8080",
    "headless": "service clusterip x --clusterip=None",
    "nodeport": "service nodeport x --tcp=80:8080",
    "loadbalancer": "service loadbalancer x --tcp=80:8080",
    "externalname": "service externalname x --external-name=sample.example",
    "serviceaccount": "serviceaccount x",
    "role": "role x --verb=get --resource=pods,deployments.apps --resource-name=y",
    "rolebinding": "rolebinding x --clusterrole=view --user=alice --group=people",
    "ingress": "ingress x --rule=sample.example/path=web:80",
    "poddisruptionbudget": "poddisruptionbudget x --selector=app=web --min-available=50%",
}
CLUSTER_WIDE = {
    "namespace": "namespace {}",
    "clusterrole": "clusterrole {} --verb=get --non-resource-url=/metrics",
    "clusterrolebinding": "clusterrolebinding {} --clusterrole=view --serviceaccount=default:default",
}


@pytest.mark.parametrize("generator", GENERATORS)
def test_generated_object_is_accepted(generator: str, kubectl: Program) -> None:
    words = [word.replace("_", " ") for word in GENERATORS[generator].split()]

    made = json.loads(kubectl("create", "--output=json", *words))

    assert made["metadata"]["name"] == "x"
    assert json.loads(kubectl("get", f"{made['kind']}/x", "-o", "json"))["metadata"]["uid"] == made["metadata"]["uid"]


@pytest.mark.parametrize("generator", CLUSTER_WIDE)
def test_generated_object_without_a_namespace_is_accepted(generator: str, kubectl: Program, namespace: str) -> None:
    name = f"{namespace}-{generator}"

    made = kubectl("create", *CLUSTER_WIDE[generator].format(name).split())

    assert made.endswith(f"/{name} created\n")
    kubectl("delete", generator, name, "--wait=false")


def test_job_is_made_of_a_cron_job(kubectl: Program) -> None:
    kubectl("create", "cronjob", "nightly", "--image=a:1", "--schedule=0 2 * * *")

    kubectl("create", "job", "now", "--from=cronjob/nightly")

    assert kubectl("get", "job/now", "-o", "jsonpath={.metadata.ownerReferences[0].name}") == "nightly"


def test_pod_is_run(kubectl: Program) -> None:
    kubectl("run", "alone", "--image=a:1", "--labels=app=alone", "--env=A=b", "--port=80", "--restart=Never")

    pod = json.loads(kubectl("get", "pod/alone", "-o", "json"))
    assert pod["spec"]["containers"][0]["env"] == [{"name": "A", "value": "b"}]
    assert pod["spec"]["restartPolicy"] == "Never"
