"""The `kubernetes` package: list and watch with CustomObjectsApi into a dict."""

# The package has no annotations.
# mypy: disable-error-code="no-untyped-call"

import sys
from typing import Any

from kubernetes import client, config, watch

from hack.bench.kind import GROUP, PLURAL, VERSION
from hack.bench.stage import Stage


def main() -> None:
    kubeconfig, namespace, objects, events = sys.argv[1:]
    stage = Stage(objects=int(objects), events=int(events))
    config.load_kube_config(kubeconfig)
    api = client.CustomObjectsApi()
    stage.ready()
    answer: Any = api.list_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL)
    version = answer["metadata"]["resourceVersion"]
    cache = {item["metadata"]["name"]: item for item in answer["items"]}
    del answer
    stage.count(len(cache))
    listing = (GROUP, VERSION, namespace, PLURAL)
    for event in watch.Watch().stream(api.list_namespaced_custom_object, *listing, resource_version=version):
        cache[event["object"]["metadata"]["name"]] = event["object"]
        stage.count()


if __name__ == "__main__":
    main()
