"""Whether what a Cluster brings can be used to talk to it. Nothing is run, read or sent to find out."""

from apis.laf.cluster import Cluster
from controllers.cluster.reasons import FORBIDDEN_CONFIG, INVALID_CONFIG, SPEC_MISSING, not_ready
from controllers.laf.client_config import decoded_config
from controllers.reporting.observation import Observation
from framework.clusters import InlineCredentials, credentials_from_kubeconfig
from framework.errors import ForbiddenKubeconfig, KubeconfigError


def credentials_of(cluster: Cluster, *, allow_insecure: bool) -> InlineCredentials | Observation:
    """How to get in, or why not; the message names the field and never its value."""
    if cluster.spec is None:
        return not_ready(SPEC_MISSING, "spec is not set; give region and clientConfig")
    try:
        return credentials_from_kubeconfig(decoded_config(cluster.spec.client_config), allow_insecure=allow_insecure)
    except ForbiddenKubeconfig as error:
        return not_ready(FORBIDDEN_CONFIG, str(error))
    except KubeconfigError as error:
        return not_ready(INVALID_CONFIG, str(error))
