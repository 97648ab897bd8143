"""kopf: an operator with one creation handler that writes a status."""

import os
import sys
from typing import Any

import kopf

from hack.bench.kind import GROUP, PLURAL, VERSION
from hack.bench.stage import Stage


def main() -> None:
    # kopf has no limit on how many objects it works on at once.
    kubeconfig, namespace, objects, _workers = sys.argv[1:]
    stage = Stage(objects=int(objects))
    os.environ["KUBECONFIG"] = kubeconfig
    kopf.on.login()(kopf.login_with_kubeconfig)

    @kopf.on.startup()
    async def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
        # The others write no Event for each reconcile either.
        settings.posting.enabled = False

    @kopf.on.create(GROUP, VERSION, PLURAL)
    async def observe(meta: Any, patch: Any, **_: Any) -> None:
        patch.status["observedGeneration"] = meta["generation"]

    kopf.configure()
    stage.ready()
    kopf.run(standalone=True, namespaces=[namespace])


if __name__ == "__main__":
    main()
