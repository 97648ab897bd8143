"""What -mode=manager hosts: one controller for each custom resource."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from controllers.application import register_application
from controllers.bundle import register_bundle
from controllers.cluster import register_cluster
from controllers.creationform import register_creationform
from controllers.instance import register_instance
from controllers.jobbuilder import register_jobbuilder
from controllers.laf.optional_kinds import OptionalKinds
from controllers.laf.remotes import Remotes
from controllers.laf.settings import LafSettings
from controllers.ociregistry.options import RegistryOptions
from controllers.peerpod import register_peerpod
from controllers.peerpodconfig import register_peerpodconfig
from controllers.peerpods.options import PeerPodOptions
from controllers.runtime import register_runtime
from controllers.scriptstorage.connect import connect_storage
from controllers.scriptstorage.objects import ScriptObjects
from controllers.scriptstorage.settings import StorageSettings
from controllers.workeraccount import register_workeraccount
from controllers.workeralias import ALIASES, register_workeralias
from controllers.workerbundle import register_workerbundle
from controllers.workerdeployment import register_workerdeployment
from controllers.workerrelease import register_workerrelease
from controllers.workers.registries import LiveRegistries
from controllers.workers.settings import WorkersSettings
from controllers.workerversion import register_workerversion
from framework.errors import ConfigurationError
from framework.manager import Manager


class Host(msgspec.Struct, frozen=True):
    """What the controllers of one process are made with, and share."""

    manager: Manager
    laf: LafSettings
    remotes: Remotes
    optional: OptionalKinds
    peer_pods: PeerPodOptions
    workers: WorkersSettings

    def registries(self, controller: str) -> LiveRegistries:
        workers = self.workers
        options = RegistryOptions(
            default_registry=workers.default_registry, insecure_registries=workers.insecure_registries
        )
        return LiveRegistries(self.manager.client_for(controller), options)

    def storage(self) -> ScriptObjects:
        workers = self.workers
        return connect_storage(
            StorageSettings(
                bucket=workers.s3_bucket,
                allowed_buckets=workers.allowed_buckets,
                endpoint=workers.s3_endpoint,
                region=workers.s3_region,
            )
        )


# The table of contents: one line for each custom resource.
CONTROLLERS: Mapping[str, Callable[[Host], None]] = {
    "bundle": lambda host: register_bundle(host.manager, host.laf),
    "runtime": lambda host: register_runtime(host.manager, host.laf),
    "application": lambda host: register_application(host.manager, host.laf, host.optional),
    "creationform": lambda host: register_creationform(host.manager, host.laf),
    "cluster": lambda host: register_cluster(host.manager, host.laf, host.remotes),
    "instance": lambda host: register_instance(host.manager, host.laf, host.remotes, host.optional),
    "peerpodconfig": lambda host: register_peerpodconfig(host.manager, host.peer_pods),
    "peerpod": lambda host: register_peerpod(host.manager, host.peer_pods),
    "workerversion": lambda host: register_workerversion(host.manager, host.workers),
    "workerdeployment": lambda host: register_workerdeployment(host.manager, host.workers),
    "workerrelease": lambda host: register_workerrelease(host.manager, host.workers, host.storage),
    "workeraccount": lambda host: register_workeraccount(host.manager, host.workers),
    "jobbuilder": lambda host: register_jobbuilder(host.manager, host.workers, host.registries("jobbuilder")),
    "workerbundle": lambda host: register_workerbundle(host.manager, host.workers, host.registries("workerbundle")),
}
# What -enable-cf-worker-group mirrors, by the controllers beside which it is done.
MIRRORED = {kind.__name__.lower(): kind for kind in ALIASES}
# What belongs together, and can be chosen together.
SYSTEMS: Mapping[str, tuple[str, ...]] = {
    "laf": ("bundle", "runtime", "application", "creationform", "cluster", "instance"),
    "peerpods": ("peerpodconfig", "peerpod"),
    "workers": (
        "workerversion",
        "workerdeployment",
        "workerrelease",
        "workeraccount",
        "jobbuilder",
        "workerbundle",
    ),
}


def host_controllers(
    manager: Manager,
    laf: LafSettings,
    peer_pods: PeerPodOptions,
    workers: WorkersSettings,
    names: Sequence[str] = tuple(CONTROLLERS),
) -> None:
    if "instance" in names and "cluster" not in names:
        raise ConfigurationError("-controllers: instance needs cluster, which connects to the clusters of Instances")
    host = Host(manager, laf, Remotes(manager.runtime), OptionalKinds(manager), peer_pods, workers)
    for name in names:
        CONTROLLERS[name](host)
        if workers.has_cf_worker_group and name in MIRRORED:
            register_workeralias(manager, workers, MIRRORED[name])
