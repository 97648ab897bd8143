"""Every kind that this project brings: what crds/ and crds-cf-worker-group/ are generated from."""

from apis.cfworker import alias
from apis.cfworker.jobbuilder import JobBuilder
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from apis.cfworker.workerversion import WorkerVersion
from apis.confidentialcontainers.peerpod import PeerPod
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.laf.application import Application
from apis.laf.bundle import Bundle
from apis.laf.cluster import Cluster
from apis.laf.creationform import CreationForm
from apis.laf.function import Function, Package
from apis.laf.instance import Instance
from apis.laf.runtime import Runtime
from apis.meta import KubeObject
from apis.requeststate.v1 import RequestState

LAF_KINDS: tuple[type[KubeObject], ...] = (
    Application,
    Bundle,
    Cluster,
    CreationForm,
    Function,
    Instance,
    Package,
    Runtime,
)
PEER_POD_KINDS: tuple[type[KubeObject], ...] = (PeerPod, PeerPodConfig)
WORKER_KINDS: tuple[type[KubeObject], ...] = (
    JobBuilder,
    WorkerAccount,
    WorkerBundle,
    WorkerDeployment,
    WorkerRelease,
    WorkerVersion,
)
# Not among the others: they are installed only where somebody asks for them.
CF_WORKER_GROUP_KINDS: tuple[type[KubeObject], ...] = (
    alias.WorkerAccount,
    alias.WorkerBundle,
    alias.WorkerDeployment,
    alias.WorkerRelease,
)
CUSTOM_KINDS: tuple[type[KubeObject], ...] = (RequestState, *LAF_KINDS, *PEER_POD_KINDS, *WORKER_KINDS)
