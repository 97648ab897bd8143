"""The `kubernetes` package's own SharedInformer on a custom resource, to see whether it fills its cache."""

# The package has no annotations.
# mypy: disable-error-code="no-untyped-call"

import sys
from functools import partial

from kubernetes import client, config
from kubernetes.informer import SharedInformer

from hack.bench.kind import GROUP, PLURAL, VERSION
from hack.bench.stage import Stage


def main() -> None:
    kubeconfig, namespace, objects = sys.argv[1:]
    stage = Stage(objects=int(objects))
    config.load_kube_config(kubeconfig)
    listing = partial(client.CustomObjectsApi().list_namespaced_custom_object, GROUP, VERSION, plural=PLURAL)
    informer = SharedInformer(listing, namespace=namespace)
    informer.add_event_handler("ADDED", lambda _: stage.count())
    informer.add_event_handler("ERROR", lambda error: stage.report("failed", f"{type(error).__name__}: {error}"))
    stage.ready()
    informer.start()
    stage.wait_for_the_end()


if __name__ == "__main__":
    main()
