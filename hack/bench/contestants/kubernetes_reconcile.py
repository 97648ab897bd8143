"""The `kubernetes` package: list, and one status patch for each object from a pool of threads.

It brings no controller, so this is the least that its user would write.
"""

# The package has no annotations.
# mypy: disable-error-code="no-untyped-call"

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from kubernetes import client, config

from hack.bench.kind import GROUP, PLURAL, VERSION
from hack.bench.stage import Stage


def main() -> None:
    kubeconfig, namespace, objects, workers = sys.argv[1:]
    stage = Stage(objects=int(objects))
    config.load_kube_config(kubeconfig)
    api = client.CustomObjectsApi()

    def observe(metadata: dict[str, Any]) -> None:
        status = {"status": {"observedGeneration": metadata["generation"]}}
        api.patch_namespaced_custom_object_status(GROUP, VERSION, namespace, PLURAL, metadata["name"], status)

    stage.ready()
    answer: Any = api.list_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL)
    with ThreadPoolExecutor(int(workers)) as pool:
        list(pool.map(observe, [item["metadata"] for item in answer["items"]]))
    stage.wait_for_the_end()


if __name__ == "__main__":
    main()
