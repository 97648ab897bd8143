"""Objects of the group that upstream's code uses."""

from typing import Any

import msgspec

from apis.cfworker import alias
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from apis.meta import KubeObject, Unstructured, resource_type_of
from controllers.workeralias import ALIASES
from tests.component.workers.world import SETTINGS, World

WITH_ALIASES = msgspec.structs.replace(SETTINGS, has_cf_worker_group=True)
SPECS: dict[type[KubeObject], dict[str, Any]] = {
    WorkerAccount: {
        "workerBundleName": "acme",
        "workerReleaseSelector": {"matchLabels": {"accounts": "acme"}},
        "podTemplate": {"imagePullSecret": "pull"},
    },
    WorkerBundle: {
        "deploymentName": "hand",
        "workers": [{"workerName": "one", "workerNumber": 8080, "exposed": False}],
        "podTemplate": {"image": "registry.test:5000/hand:1"},
    },
    WorkerDeployment: {"template": {"scriptName": "hello", "scriptUrls": ["hello/1"], "mainModule": "main.js"}},
    WorkerRelease: {"scriptName": "hello", "scriptUrls": ["hello/1"]},
}
KINDS = sorted(ALIASES.items(), key=lambda pair: pair[0].__name__)


def make(world: World, kind: type[KubeObject], name: str = "it", **metadata: Any) -> None:
    """An alias of canonical *kind*, or whatever else *kind* is."""
    canonical = next(each for each in SPECS if each.__name__ == kind.__name__)
    gvk = resource_type_of(kind).gvk
    content = {
        "apiVersion": gvk.api_version,
        "kind": gvk.kind,
        "metadata": {"name": name, "namespace": world.namespace, **metadata},
        "spec": SPECS[canonical],
    }
    world.client.create(Unstructured(content=content), kind=resource_type_of(kind))


def is_mirrored(world: World, kind: type[KubeObject], name: str = "it") -> bool:
    return world.condition(kind, name, "Mirrored") == ("True", "Applied")


def make_bundle(world: World) -> None:
    make(world, alias.WorkerBundle)
    world.until(lambda: is_mirrored(world, alias.WorkerBundle))
