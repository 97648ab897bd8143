"""kopf: an operator with one event handler that keeps what it is shown.

Not `@kopf.index`: its cost grows much faster than the number of objects.
"""

import os
import sys
from typing import Any

import kopf

from hack.bench.kind import GROUP, PLURAL, VERSION
from hack.bench.stage import Stage


def main() -> None:
    kubeconfig, namespace, objects, events = sys.argv[1:]
    stage = Stage(objects=int(objects), events=int(events))
    os.environ["KUBECONFIG"] = kubeconfig
    cache: dict[str, Any] = {}
    # Without this one it would load the `kubernetes` package while it is measured.
    kopf.on.login()(kopf.login_with_kubeconfig)

    @kopf.on.event(GROUP, VERSION, PLURAL)
    async def seen(event: Any, name: str, **_: Any) -> None:
        cache[name] = event["object"]
        stage.count()

    kopf.configure()
    stage.ready()
    kopf.run(standalone=True, namespaces=[namespace])


if __name__ == "__main__":
    main()
